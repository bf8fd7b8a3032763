"""Runs the notebook's cells as a reader would."""

import json
from pathlib import Path

NOTEBOOK = Path(__file__).parent.parent / "from-a-frame-to-recommendations.ipynb"


def test_the_notebook_runs_and_its_recommendations_beat_popularity(kindred):
    names = {"display": lambda value: None}
    for cell in json.loads(NOTEBOOK.read_text())["cells"]:
        if cell["cell_type"] == "code":
            exec("".join(cell["source"]), names)
    assert names["hits"] > names["popular_hits"]
