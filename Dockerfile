# A vault for MCP clients over HTTP: references/mcp.md, "In a container".
FROM python:3.13-slim

COPY pyproject.toml README.md LICENSE CHANGELOG.md SKILL.md /src/
COPY references /src/references
COPY scripts/memdir /src/scripts/memdir
RUN pip install --no-cache-dir "/src[mcp]" && rm -rf /src

# Nobody's user, but for whom compose.yaml names; what is not the vault lies in /var/lib/memdir.
RUN useradd --uid 10001 --no-create-home --home-dir /var/lib/memdir memdir \
  && install -d -m 1777 /var/lib/memdir && install -d -o memdir /vault
USER 10001
ENV HOME=/var/lib/memdir \
    XDG_CACHE_HOME=/var/lib/memdir/cache \
    XDG_CONFIG_HOME=/var/lib/memdir/config \
    MEMDIR_VAULT=/vault \
    MEMDIR_PORT=48400
VOLUME ["/vault", "/var/lib/memdir"]
EXPOSE 48400

HEALTHCHECK --interval=30s --timeout=5s --start-period=30s CMD ["python", "-c", "import os, urllib.request; urllib.request.urlopen('http://127.0.0.1:' + os.environ['MEMDIR_PORT'] + '/health', timeout=4)"]
ENTRYPOINT ["memdir"]
CMD ["serve", "--host", "0.0.0.0", "--behind-proxy"]
