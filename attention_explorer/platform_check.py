"""The shared libraries that the system must give so that Qt can start.

PySide6 brings Qt along but not the libraries Qt itself takes from the system, and a new Debian machine lacks
some of them. Qt answers that by aborting the process; here it is asked beforehand, without loading Qt.
Run as ``python -m attention_explorer.platform_check [--install]`` it is silent when nothing is missing; otherwise it
installs what is missing (``--install``, root on Debian) or prints the line to type.
"""

from __future__ import annotations

import argparse
import importlib.util
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

MODULES = ("QtCore", "QtGui", "QtWidgets", "QtSvg", "QtOpenGL", "QtOpenGLWidgets", "QtPrintSupport", "QtTest")
"""The parts of PySide6 that the program, its chart library and its tests import."""

EXCEPTIONS = {
    "libbrotlicommon.so.1": "libbrotli1",
    "libbrotlidec.so.1": "libbrotli1",
    "libGLdispatch.so.0": "libglvnd0",
    "libgio-2.0.so.0": "libglib2.0-0",
    "libglib-2.0.so.0": "libglib2.0-0",
    "libgmodule-2.0.so.0": "libglib2.0-0",
    "libgobject-2.0.so.0": "libglib2.0-0",
    "libgthread-2.0.so.0": "libglib2.0-0",
    "libz.so.1": "zlib1g",
}
"""Libraries whose Debian package is not called after them."""


def parse_ldd(output: str) -> list[str]:
    """Return the sonames that a run of ``ldd`` over any number of files could not find, each once, sorted."""
    return sorted(set(re.findall(r"^\s*(\S+) => not found$", output, flags=re.MULTILINE)))


def qt_files(pyside: Path, environ: Mapping[str, str]) -> list[Path]:
    """Return the files below an installed PySide6 that the program makes Qt load under this environment."""
    plugins = pyside / "Qt" / "plugins"
    platforms = ["qxcb", "qoffscreen"]
    if environ.get("WAYLAND_DISPLAY") and not environ.get("DISPLAY"):
        platforms.append("qwayland")
    files = [
        *(pyside / f"{name}.abi3.so" for name in MODULES),
        *(plugins / "platforms" / f"lib{name}.so" for name in platforms),
        plugins / "imageformats" / "libqsvg.so",
        plugins / "iconengines" / "libqsvgicon.so",
    ]
    return [file for file in files if file.exists()]


def missing_libraries() -> list[str]:
    """Return the sonames of the libraries that Qt needs and the system lacks; none outside Linux."""
    spec = importlib.util.find_spec("PySide6")
    ldd = shutil.which("ldd")
    if sys.platform != "linux" or ldd is None or spec is None or not spec.submodule_search_locations:
        return []
    files = qt_files(Path(spec.submodule_search_locations[0]), os.environ)
    english = {**os.environ, "LC_ALL": "C"}
    found = subprocess.run([ldd, *map(str, files)], capture_output=True, text=True, check=False, env=english)
    return parse_ldd(found.stdout)


def debian_package(soname: str) -> str:
    """Return the Debian package that holds a library.

    Unless it is an exception, that is the library's name in lower case followed by its version, with a hyphen
    between them where the name ends in a digit: libEGL.so.1 is in libegl1, libdbus-1.so.3 in libdbus-1-3.
    """
    if soname in EXCEPTIONS:
        return EXCEPTIONS[soname]
    name, _, version = soname.lower().replace("_", "-").partition(".so.")
    return f"{name}-{version}" if name[-1].isdigit() else name + version


def debian_packages(sonames: Iterable[str]) -> list[str]:
    """Return the Debian packages that hold these libraries, by the names this Debian has for them.

    Debian 13 gave many libraries the suffix t64 when its time_t grew. A name gets it where apt knows only
    that one.
    """
    plain = sorted({debian_package(soname) for soname in sonames})
    known = known_to_apt(package + suffix for package in plain for suffix in ("", "t64"))
    return [p + "t64" if p not in known and p + "t64" in known else p for p in plain]


def known_to_apt(packages: Iterable[str]) -> set[str]:
    """Return those of the packages that apt's lists hold, which are all of none where there are no lists."""
    apt_cache = shutil.which("apt-cache")
    if apt_cache is None:
        return set()
    shown = subprocess.run([apt_cache, "show", *packages], capture_output=True, text=True, check=False)
    return set(re.findall(r"^Package: (\S+)$", shown.stdout, flags=re.MULTILINE))


def is_debian() -> bool:
    """Tell whether apt installs packages here under Debian's names, as it does on Ubuntu too."""
    return shutil.which("apt-get") is not None and Path("/etc/debian_version").exists()


def is_root() -> bool:
    """Tell whether this process may install packages."""
    return sys.platform != "win32" and os.geteuid() == 0


def install_missing() -> list[str]:
    """Install what is missing from Debian, say so in one line, and return what is missing still."""
    environ = {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}
    subprocess.run(["apt-get", "update", "-qq"], check=True, env=environ)
    packages = debian_packages(missing_libraries())
    print(f"Installing the Debian packages Qt needs: {' '.join(packages)}", flush=True)
    subprocess.run(
        ["apt-get", "install", "-y", "-qq", "--no-install-recommends", *packages],
        check=True,
        env=environ,
        stdout=subprocess.DEVNULL,
    )
    return missing_libraries()


def advice(missing: Sequence[str]) -> str:
    """Return the one line that tells a person how to get the missing libraries."""
    if not is_debian():
        return f"Qt needs these libraries, which this system lacks: {' '.join(missing)}"
    return f"Qt lacks system libraries. Type: sudo apt-get install {' '.join(debian_packages(missing))}"


def main(arguments: Sequence[str] | None = None) -> int:
    """Check the libraries, install them where that is asked for and possible, and return the exit code."""
    parser = argparse.ArgumentParser(
        prog="python -m attention_explorer.platform_check",
        description="Tell which system libraries Qt needs and this system lacks.",
    )
    parser.add_argument("--install", action="store_true", help="install them (root on Debian)")
    install: bool = parser.parse_args(arguments).install
    missing = missing_libraries()
    if missing and install and is_debian() and is_root():
        try:
            missing = install_missing()
        except subprocess.CalledProcessError as error:
            print(f"{' '.join(error.cmd[:2])} failed with exit code {error.returncode}.", file=sys.stderr)
    if missing:
        print(advice(missing), file=sys.stderr)
    return 1 if missing else 0


if __name__ == "__main__":
    sys.exit(main())
