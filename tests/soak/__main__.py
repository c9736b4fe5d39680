"""Let the monkey loose: ``python -m soak --seed 7 --minutes 10``."""

from __future__ import annotations

import argparse
import faulthandler
import shutil
import sys
import tempfile
import time
from pathlib import Path
from random import Random

from collector_watch import collected_elsewhere

from attention_explorer.pages.session_file import SUFFIX, write_session
from soak.checks import CHECKS, Broken, Usage, only_windows_are_windows, picture_is_that_of_the_state, usage
from soak.monkey import Monkey
from soak.world import World

CHECK_EVERY = 25
"""Steps between two checks, on average."""
MEASURE_EVERY = 100
LONGEST_STEP = 180
"""Seconds for a step and its checks."""


FEWEST_MEASUREMENTS, WARM = 12, 10
"""Before, nothing is warm: every page takes its libraries and makes its views, and every cache fills."""
MOST_GROWTH = {"unknown": 192.0, "widgets": 300, "tops": 12, "threads": 3}
"""How much more may be held at the end than at most in the first third of the run, or 1000 steps: memory in MiB."""
MOST_NONES_LOST = 1000
"""A leak would lose one with every call that returns nothing. More of them are no harm: they stand in caches."""


def main() -> int:
    """Run the monkey and say what came of it; 1 if something broke."""
    options = _options()
    faulthandler.enable()
    folder = Path(options.keep or tempfile.mkdtemp(prefix="soak-")).resolve()
    folder.mkdir(parents=True, exist_ok=True)
    with (folder / "actions.log").open("w", encoding="utf-8") as log:
        run = Run(options, Monkey(World(folder), options.seed, log))
        try:
            run.go()
        except Broken as broken:
            run.explain(broken)  # the folder stays: pictures and the log are in it
            return 1
    run.summarise()
    if not options.keep:
        shutil.rmtree(folder, ignore_errors=True)
    return 0


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m soak", description=__doc__)
    parser.add_argument("--seed", type=int, default=1, help="which monkey: the same seed does the same")
    parser.add_argument("--minutes", type=float, default=10.0, help="how long, if no number of steps is given")
    parser.add_argument("--until", type=int, default=0, metavar="STEP", help="stop after so many steps")
    parser.add_argument("--blocked", type=float, default=2.0, help="seconds that the window may be kept by one event")
    parser.add_argument("--keep", default="", metavar="FOLDER", help="work in this folder, and leave it in any case")
    return parser.parse_args()


class Run:
    """One run of the monkey with its checks."""

    def __init__(self, options: argparse.Namespace, monkey: Monkey) -> None:
        self.monkey, self.world = monkey, monkey.world
        self._until, self._seconds = options.until, options.minutes * 60
        self.world.patience = options.blocked
        self._measured: list[Usage] = []
        self._began = time.monotonic()

    def go(self) -> None:
        """Act and check until it is time."""
        while not self._is_over():
            faulthandler.dump_traceback_later(LONGEST_STEP, exit=True)  # says where it hangs
            self.monkey.act()
            self._look_for_errors()
            picture_is_that_of_the_state(self.world)
            only_windows_are_windows(self.world)
            dice = Random(f"{self.monkey.seed}/{self.monkey.step}/check")  # noqa: S311
            if dice.random() < 1 / CHECK_EVERY:
                self._check(dice)
            if self.monkey.step % MEASURE_EVERY == 0:
                self._measure()
        faulthandler.cancel_dump_traceback_later()
        self._check()
        self._measure()
        self._see_what_was_used_up()

    def _is_over(self) -> bool:
        if self._until:
            return self.monkey.step >= self._until
        return time.monotonic() - self._began > self._seconds

    def _look_for_errors(self) -> None:
        if self.world.wrong:
            raise Broken("\n".join(self.world.wrong))
        if collected_elsewhere:
            raise Broken("\n".join(collected_elsewhere))
        seconds, computed, doing = self.world.longest
        # Where other programs take the processor, only what this thread has computed itself tells.
        if seconds > self.world.patience and computed > self.world.patience / 2:
            raise Broken(f"The window was kept for {seconds:.1f} s ({computed:.1f} s of it computing) by {doing}")

    def _check(self, dice: Random | None = None) -> None:
        """Make some checks, or all of them."""
        self.monkey.rest()
        for share, check in CHECKS:
            if dice is not None and dice.random() > share:
                continue
            self.world.doing = f"step {self.monkey.step}: check {check.__name__}"
            check(self.world)
            self._look_for_errors()

    def _measure(self) -> None:
        now = usage(self.world)
        self._measured.append(now)
        sys.stdout.write(f"{time.monotonic() - self._began:6.0f} s  step {self.monkey.step:5}  {now}\n")
        sys.stdout.flush()

    def _see_what_was_used_up(self) -> None:
        """See that the end holds no more than the beginning, when every page had been opened."""
        if len(self._measured) < FEWEST_MEASUREMENTS:
            return
        # On a busy machine a third is a few hundred steps, in which not every page was opened.
        early, last = self._measured[: max(len(self._measured) // 3, WARM)], self._measured[-1]
        for what, most in MOST_GROWTH.items():
            before, now = max(getattr(each, what) for each in early), getattr(last, what)
            if now - before > most:
                raise Broken(f"{what} grew from {before:g} to {now:g}, by more than {most:g}.")
        if last.nones < min(each.nones for each in early) - MOST_NONES_LOST:
            raise Broken(f"References to None went from {early[-1].nones} to {last.nones}.")

    def explain(self, broken: Broken) -> None:
        """Say what broke, after what, and how to see it again."""
        monkey, window = self.monkey, self.world.window
        write_session(self.world.folder / f"broken-at{SUFFIX}", window.session.state, page=window.settings.page)
        sys.stdout.write(
            f"{broken}\n\nThe last things that were done:\n" + "\n".join(monkey.last) + "\n\n"
            f"Seed {monkey.seed}, step {monkey.step}. To see it again: "
            f'make soak ARGS="--seed {monkey.seed} --until {monkey.step}"\n'
            f"The log and what was saved are in {self.world.folder}\n"
        )

    def summarise(self) -> None:
        """Say how it went."""
        seconds, computed, doing = self.world.longest
        sys.stdout.write(
            f"Seed {self.monkey.seed}: {self.monkey.step} steps, {self.world.windows_opened} windows. "
            f"The longest event took {seconds:.2f} s ({computed:.2f} s computing): {doing}\n"
        )


if __name__ == "__main__":
    sys.exit(main())
