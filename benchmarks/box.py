"""Makes the learned models that come with the program: ``make train`` learns each again and writes resources/models."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path

from attention_explorer.sources.learned.box import BOX, RECORDS, Record, file_name
from attention_explorer.sources.learned.model_file import write_model
from attention_explorer.sources.learned.run import Run

RESOURCES = Path(__file__).parents[1] / "resources"


def main() -> None:
    """Learn all of them, and say how well each does."""
    records = {}
    for name, (setup, step) in BOX.items():
        run = Run(setup)
        run.advance(step)
        path, measured = RESOURCES / file_name(name), run.measured()
        write_model(path, run.at())
        digest = hashlib.sha256(path.read_bytes()).hexdigest()
        records[name] = Record(round(measured.accuracy, 6), round(measured.weight or 0.0, 6), digest)._asdict()
        print(f"{name:<12} step {step}, seed {setup.seed}: {measured.accuracy:.2%} right, weight {measured.weight:.3f}")
    (RESOURCES / RECORDS).write_text(json.dumps(records, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
