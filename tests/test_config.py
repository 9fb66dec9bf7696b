"""Settings: bounds, who may set what, and errors that name file and line; small files read without surprises."""

import math
import os
from pathlib import Path

import pytest

from memdir import config, settings_table
from memdir.errors import BadData


def user(home: Path, text: str) -> Path:
    """The user's own configuration with this text."""
    place = config.config_home() / "config.toml"
    place.parent.mkdir(parents=True, exist_ok=True)
    place.write_text(text, "utf-8")
    return place


def refused(root: Path) -> str:
    with pytest.raises(BadData) as error:
        config.load(root)
    return str(error.value)


# --- table -----------------------------------------------------------------------------------------------


def is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def test_every_number_has_bounds_that_its_default_keeps() -> None:
    for setting in settings_table.TABLE:
        if is_number(setting.default):
            assert 0 <= setting.least <= setting.default <= setting.most, setting.name
            assert isinstance(setting.default, int) or setting.most < math.inf, setting.name
        else:
            assert setting.range == "", setting.name


@pytest.mark.parametrize("setting", [s for s in settings_table.TABLE if is_number(s.default)], ids=lambda s: s.name)
def test_a_number_is_taken_at_its_bounds_and_refused_beyond(setting: settings_table.Setting) -> None:
    kind, step = type(setting.default), 1 if isinstance(setting.default, int) else 0.001
    settings = config.Settings()
    bounds = [kind(bound) for bound in (setting.least, setting.most) if math.isfinite(bound)]
    for bound in bounds:
        settings.put(setting.name, str(bound), "option")
        assert settings[setting.name] == bound
    beyond = [bounds[0] - step, *(bound + step for bound in bounds[1:])]
    for bad in (*beyond, "nan", "inf", "-inf", math.nan, math.inf, -(10**400)):
        with pytest.raises(BadData, match=r"^option: "):
            settings.put(setting.name, bad, "option")
    assert settings[setting.name] == bounds[-1]


def test_a_number_out_of_its_range_says_the_range() -> None:
    with pytest.raises(BadData, match=r"'recall\.limit' takes 1 to 100, not 0"):
        config.Settings({"recall.limit": 0})
    with pytest.raises(BadData, match=r"'recall\.budget' takes 0 or more, not '-1'"):
        config.Settings({"recall.budget": "-1"})
    with pytest.raises(BadData, match="takes a value like 5, not True"):
        config.Settings({"recall.limit": True})


def test_a_switch_takes_true_and_false() -> None:
    for given, held in ((True, True), ("true", True), (" FALSE ", False), (False, False)):
        assert config.Settings({"recall.hyde": given})["recall.hyde"] is held
    for bad in ("yes", "", 1, 0, None, ["true"]):
        with pytest.raises(BadData, match=r"^option: setting 'recall\.hyde' takes a value like false, not"):
            config.Settings({"recall.hyde": bad})
    assert config.edited("[recall]\nhyde = false # no\n", {"recall.hyde": True}, "x") == "[recall]\nhyde = true # no\n"


def test_what_hurts_other_vaults_is_for_the_user_only() -> None:
    closed = {setting.name for setting in settings_table.TABLE if not setting.vault}
    mine: tuple[str, ...] = ("sync.", "files.", "llm.", "embedder.", "scan.", "import.", "index_dir")
    mine += ("checkpoint.", "capture.policy", "capture.confidence", "capture.hooks", "capture.speakers")
    mine += ("recall.hyde", "recall.expand", "recall.rerank", "recall.help_")  # a question to a model costs money
    assert closed == {"by"} | {setting.name for setting in settings_table.TABLE if setting.name.startswith(mine)}


# --- order and lines -------------------------------------------------------------------------------------


def test_later_places_win(tmp_path: Path, home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "memdir.toml").write_text("[recall]\nlimit = 7\nk1 = 2\n[notes]\ninclude = 'a, b'\n", "utf-8")
    assert [config.load(tmp_path)[name] for name in ("recall.limit", "recall.k1")] == [7, 2.0]
    assert config.load(tmp_path)["notes.include"] == ["a", "b"]
    user(home, "recall.limit = 8\nfiles.settle = 1\n")
    assert config.load(tmp_path)["recall.limit"] == 8
    assert config.load(None)["files.settle"] == 1.0
    monkeypatch.setenv("MEMDIR_RECALL_LIMIT", "9")
    assert config.load(tmp_path)["recall.limit"] == 9
    monkeypatch.setenv("MEMDIR_RECALL_LIMIT", "900")
    assert refused(tmp_path).startswith("MEMDIR_RECALL_LIMIT: ")


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("format = 1\n[notes]\nexclud = []\n", "memdir.toml:3: unknown setting 'notes.exclud'"),
        ("format = 1\nnotes.exclud = []\n", "memdir.toml:2: unknown setting 'notes.exclud'"),
        ("\n[ recall ] # limit\n# limit = 3\n'limit' = 500\n", "memdir.toml:4: setting 'recall.limit' takes 1 to 100"),
        ("\nrecall = { k1 = 1, limit = 0 }\n", "memdir.toml:2: setting 'recall.limit' takes"),
        ("format = 1\n[[notes]]\ninclude = []\n", "memdir.toml:2: unknown setting 'notes'"),
        ("\n\n[sync]\nlock_wait = 1\n", "memdir.toml:4: 'sync.lock_wait' may be set in the user's"),
        ("format = 1\nfiles.settle = 0\n", "memdir.toml:2: 'files.settle' may be set in the user's"),
        ("format = 1\nrecall.b = nan\n", "memdir.toml:2: setting 'recall.b' takes 0 to 1, not nan"),
        ("format = 1\ntimezone = \n", "memdir.toml:2: Invalid value"),
        ("format = 1\nformat = 2\n", "memdir.toml:2: "),
        ("format = 1\nx = [\n", "memdir.toml:3: "),
        ("format = " + "1" * 5000, "memdir.toml:1: "),
        ("x = " + "[" * 30_000, "memdir.toml:1: nested too deeply"),
        (".".join("x" * 3_000) + " = 1", "memdir.toml:1: nested too deeply"),
    ],
)
def test_an_error_names_file_and_line(tmp_path: Path, text: str, said: str) -> None:
    (tmp_path / "memdir.toml").write_text(text, "utf-8")
    assert refused(tmp_path).startswith(said)


def test_an_error_in_the_users_file_names_its_path_and_line(tmp_path: Path, home: Path) -> None:
    place = user(home, "format = 1\n[recal]\nlimit = 1\n")
    assert refused(tmp_path).startswith(f"{place}:3: unknown setting 'recal.limit'")
    place.write_bytes(b"\xef\xbb\xbfformat = 1\n# caf\xe9\n")
    assert refused(tmp_path) == f"{place}:2: not UTF-8"


def test_a_byte_order_mark_shifts_no_line(tmp_path: Path) -> None:
    (tmp_path / "memdir.toml").write_bytes(b"\xef\xbb\xbfformat = 1\r\nwrong = 1\r\n")
    assert refused(tmp_path).startswith("memdir.toml:2: unknown setting 'wrong'")


# --- small files -----------------------------------------------------------------------------------------


def test_small_file_takes_regular_files_up_to_its_limit(tmp_path: Path) -> None:
    place = tmp_path / "f"
    assert config.small_file(place, follow=False) is None
    assert config.small_file(place / "below", follow=True) is None
    place.write_bytes(b"x" * config.SMALL)
    assert config.small_file(place, follow=False) == b"x" * config.SMALL
    assert config.small_file(place / "below", follow=True) is None
    place.write_bytes(b"x" * (config.SMALL + 1))
    for follow in (False, True):
        with pytest.raises(BadData, match="f: larger than 64 KB"):
            config.small_file(place, follow=follow)


def test_small_file_follows_a_link_only_when_told(tmp_path: Path) -> None:
    (tmp_path / "real").write_bytes(b"text")
    (tmp_path / "link").symlink_to("real")
    (tmp_path / "dangling").symlink_to("nowhere")
    assert config.small_file(tmp_path / "link", follow=True) == b"text"
    assert config.small_file(tmp_path / "dangling", follow=True) is None
    for name in ("link", "dangling"):
        with pytest.raises(BadData, match=f"{name}: a link"):
            config.small_file(tmp_path / name, follow=False)


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no pipes here")
@pytest.mark.parametrize("follow", [False, True])
def test_small_file_neither_waits_for_a_pipe_nor_reads_a_device(tmp_path: Path, follow: bool) -> None:
    os.mkfifo(tmp_path / "pipe")
    for place in (tmp_path / "pipe", Path("/dev/zero"), tmp_path):
        with pytest.raises(BadData, match=r"not a regular file|Is a directory"):
            config.small_file(place, follow=follow)


def test_the_vaults_settings_are_no_link_and_the_users_may_be(tmp_path: Path, home: Path) -> None:
    dotfiles = tmp_path / "dotfiles.toml"
    dotfiles.write_text("recall.limit = 9\n", "utf-8")
    (tmp_path / "memdir.toml").symlink_to(dotfiles)
    assert "a link" in refused(tmp_path)
    (tmp_path / "memdir.toml").unlink()
    place = user(home, "")
    place.unlink()
    place.symlink_to(dotfiles)
    assert config.load(tmp_path)["recall.limit"] == 9
