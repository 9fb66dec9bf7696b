# Sourced by `check` and `demo`: finds Python 3.11 or later, makes the virtual environment, installs the project.
# Sets root, venv and python. MEMDIR_VENV names another folder than .venv for the environment.

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd -P)
venv=${MEMDIR_VENV:-$root/.venv}
case $venv in /*) ;; *) venv=$PWD/$venv ;; esac
python=$venv/bin/python

find_python() {
  local name
  for name in python3.13 python3.12 python3.11 python3 python; do
    if "$name" -c 'import sys, venv, ensurepip; sys.exit(sys.version_info < (3, 11))' >/dev/null 2>&1; then
      command -v "$name"
      return
    fi
  done
  echo "Python 3.11 or later with venv and pip is needed, and none of python3.13, 3.12, 3.11, python3 is one." >&2
  echo "Install one (Debian and Ubuntu: apt install python3 python3-venv) and run this again." >&2
  return 1
}

# install WHAT: `.` or `.[dev]`. Nothing is done when the same was installed from this folder before.
install() {
  local stamp=$venv/memdir-installed wanted found
  wanted="$1 $root $(cksum <"$root/pyproject.toml")"
  if [ -x "$python" ] && grep -qxF "$wanted" "$stamp" 2>/dev/null; then return; fi
  if ! "$python" -c 'import sys; sys.exit(sys.version_info < (3, 11))' >/dev/null 2>&1; then
    if [ -n "$(ls -A "$venv" 2>/dev/null)" ] && [ ! -f "$venv/pyvenv.cfg" ]; then
      echo "$venv is not a virtual environment and not empty; name another folder in MEMDIR_VENV" >&2
      return 1
    fi
    found=$(find_python) || return 1
    echo "setting up $venv with $("$found" --version)"
    "$found" -m venv --clear "$venv"
  fi
  "$python" -m pip install -qq --disable-pip-version-check --no-input -e "$root${1#.}" </dev/null
  echo "$wanted" >>"$stamp"
}
