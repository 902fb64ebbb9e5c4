"""Every row of every table of settings in shell, C and Python: the same answer.

usage: parity.py PROGRAM PARITY FOLDER_OF_THE_PACKAGE

For training and data the three write models with the same bytes, or refuse with the same sentence: the library's, in which
the program calls settings by their options. For the other tables they accept and refuse the same values.
"""

import json
import os
import re
import subprocess
import sys
import tempfile
import warnings

PROGRAM, PARITY = (os.path.abspath(p) for p in sys.argv[1:3])
sys.path.insert(0, os.path.abspath(sys.argv[3]))

import numpy as np  # noqa: E402

import riemann2 as rm2  # noqa: E402

warnings.simplefilter("ignore")
os.environ["OMP_NUM_THREADS"] = "1"
TYPES = {"flag", "count", "number", "choice", "recipe", "text", "character", "hyperparameter", "seed"}
passed = failed = 0


def run(*words):
    done = subprocess.run(words, capture_output=True, text=True)
    return done.returncode, done.stderr.strip().splitlines()


def rows(table):
    done = subprocess.run([PROGRAM, "settings", table, "--json"], capture_output=True, text=True, check=True)
    found = json.loads(done.stdout)[table]["settings"]
    assert found and all(row["type"] in TYPES for row in found)
    return found


def check(what, good, *details):
    global passed, failed
    passed, failed = passed + good, failed + (not good)
    if not good:
        print("FAILED", what, *details, sep="\n    ")


def texts(row):
    """Values to try: valid ones, some of which contradict other settings, and invalid ones."""
    kind = row["type"]
    if kind == "flag":
        return list(row["words"] or ("yes", "no"))
    if kind in ("choice", "recipe"):
        return [*row["words"], "cubic"]
    if kind == "hyperparameter":
        return ["0.3", "learned", "held", "learned 0.3 gamma:2:10", "learned none", "gamma:2:10", "-1", "x"]
    if kind == "seed":
        return ["3"]
    if kind == "character":
        return [",", "tab", "xx"]
    zero = [row["zero"]] if row["zero"] else []
    if kind == "count":
        return ["1", "2", "3", "0", "-1", "1.5", "x", *zero]
    if kind == "number":
        small = "1e-9" if row["name"] == "max_seconds" else "1e-3"  # less than any iteration takes
        return ["0.5", small, "1", "0", "-1", "nan", "x", *zero]
    return []


def option_of(row):
    """The word of a setting in the program."""
    words = (row["option"] or "--" + row["name"]).split()
    name = words[1] if row["type"] == "hyperparameter" else words[0]
    return re.sub(r"\[?=.*", "", name).replace("[no-]", "")


def words_of(row, text):
    """The options of a value."""
    name = option_of(row).lstrip("-")
    if row["type"] == "hyperparameter":
        words = []
        for part in text.split():
            option = "--set"
            if part == "learned":
                option = "--learn"
            elif part == "held":
                option = "--hold"
            elif part == "none" or ":" in part:
                option = "--prior"
            words += [option, name if option in ("--learn", "--hold") else f"{name}={part}"]
        return words
    if row["type"] == "flag" and not row["words"]:
        return [f"--{name}" if text == "yes" else f"--no-{name}"]
    return [f"--{name}={text}"]


def as_options(sentence, tables):
    """The library's sentence in the words of the program."""
    fields = {}
    for table in tables:
        for row in rows(table):
            option = option_of(row)
            if row["type"] == "hyperparameter":
                option = "--set " + option
            elif row["type"] == "flag" and not row["words"] and row["defaults"][0] == "yes":
                option = "--no-" + option[2:]
            fields[row["field"]] = option
    fields.update(init_latent="--init-from", base_point="--base-point")

    def option(match):
        field = match.group(1)
        while field not in fields and "." in field:
            field = field.rsplit(".", 1)[0]
        rest = match.group(1)[len(field):]
        return fields.get(field, "--" + field.replace("_", "-")) + ("" if rest == ".start" else rest)

    return re.sub(r"settings\.([a-z_0-9]+(?:\.[a-z_0-9]+)*)", option, sentence)


def tail(sentence):
    """What was expected; the program names option and value before it in its own way."""
    return sentence.split("expected ", 1)[-1].removesuffix(".")


# ---- training and data ---------------------------------------------------------------------------

FIT = {"max_iterations": "2", "seed": "0"}
DATA = {"manifold": "R2 x S2", "group": "demo"}


def in_python(folder, path, data, fit):
    try:
        points = rm2.read(path, **{k: v for k, v in data.items()})
        given = {k: v for k, v in fit.items() if k != "seed"}
        kind = KINDS[given.pop("model", "wgplvm")]
        model = kind(data["manifold"], given.pop("latent_dim", "2"), random_state=int(fit["seed"]), **given)
        model.fit(points)
        model.save(os.path.join(folder, "python.npz"), overwrite=True)
        return None
    except (ValueError, OSError, TypeError, rm2.NumericalError) as error:
        return str(error)


def compare(folder, path, table, row, text):
    data, fit = dict(DATA), dict(FIT)
    (fit if table == "fit" else data)[row["name"]] = text
    fit = {"recipe": fit.get("recipe", "auto"), **fit}  # which fills all others: first
    what = f"{table}.{row['name']} = {text}"
    options = []
    for known, given in (("data", data), ("fit", fit)):
        for r in TABLES[known]:
            if r["name"] in given and r["type"] != "seed":
                options += words_of(r, given[r["name"]])
    if table == "fit" and row["type"] == "seed":
        options += ["--seed", text]
    shell, complaint = run(PROGRAM, "fit", path, "-o", f"{folder}/shell.npz", "--force", "--quiet", "--threads", "1",
                           *options)
    c, sentence = run(PARITY, "fit", path, f"{folder}/c.npz", *(f"data.{k}={v}" for k, v in data.items()),
                      *(f"fit.{k}={v}" for k, v in fit.items()))
    raised = in_python(folder, path, data, fit) if fit.get("model", "gplvm") in KINDS else sentence[-1]
    if c == 0:
        files = [open(f"{folder}/{who}.npz", "rb").read() for who in ("shell", "c", "python")
                 if os.path.exists(f"{folder}/{who}.npz")]
        same = len(files) == 3 and files[0] == files[1] == files[2]
        check(what, shell in (0, 4) and raised is None and same, f"shell {shell} {complaint}", f"Python {raised}",
              f"same bytes: {same}")
    else:
        expected = as_options(sentence[-1], ("fit", "data"))
        said = complaint[-1].removeprefix("riemann2 fit: ") if complaint else ""
        begins = tail(said).split(",")[0]  # of hyperparameters, whose parts have options of their own
        same = said == expected or ("expected " in said and tail(expected).startswith(begins))
        check(what, shell in (2, 3) and same, f"C:     {expected}", f"shell: {said}")
        check(what, raised is not None and (raised == sentence[-1] or tail(raised) == tail(sentence[-1])),
              f"C:      {sentence[-1]}", f"Python: {raised}")
    for who in ("shell", "c", "python"):
        if os.path.exists(f"{folder}/{who}.npz"):
            os.unlink(f"{folder}/{who}.npz")


# ---- other tables --------------------------------------------------------------------------------

def python_calls(model, covariances, labels):
    """A call of Python per table that takes its settings as keywords."""
    point = model.data_.points[:1]
    return {
        "encode": lambda **given: model.transform(point, **given),
        "space": lambda **given: model.space(**given),
    }


def compare_other(table, row, text, call):
    what = f"{table}.{row['name']} = {text}"
    c, sentence = run(PARITY, "set", table, f"{row['name']}={text}")
    try:
        call(**{row["name"]: text})
        raised = None
    except (ValueError, TypeError, rm2.NumericalError) as error:
        raised = str(error)
    if c == 0:
        check(what, raised is None or "expected" not in raised, f"Python: {raised}")
    else:
        check(what, raised is not None and tail(raised) == tail(sentence[-1]), f"C: {sentence[-1]}",
              f"Python: {raised}")


def compare_shell(table, row, text, command):
    what = f"{table}.{row['name']} = {text} in the shell"
    c, sentence = run(PARITY, "set", table, f"{row['name']}={text}")
    shell, complaint = run(PROGRAM, *command, *words_of(row, text))
    if c != 0:
        said = complaint[-1] if complaint else ""
        check(what, shell == 2 and tail(said) == tail(as_options(sentence[-1], (table,))), f"C: {sentence[-1]}",
              f"shell: {shell} {said}")
    else:
        check(what, not any("expected" in line for line in complaint), f"shell: {shell} {complaint}")


# Settings of a space that exclude each other, or need others.
CONTRADICTIONS = [
    {"contrast": "50", "weight": "2"}, {"sigma": "0.4"}, {"metric": "straight", "support": "0.1"},
    {"clearance": "0.1"}, {"deviations": "2"}, {"neighbours": "3"}, {"roadmap": "line", "grid_points": "12"},
    {"roadmap": "graph", "padding": "0.5"}, {"metric": "straight", "reach": "2"},
]


def compare_contradictions(model, folder):
    shown = {row["name"]: row for row in rows("space")}
    for given in CONTRADICTIONS:
        try:
            model.space(**given)
            raised = None
        except ValueError as error:
            raised = str(error)
        words = [word for name, text in given.items() for word in words_of(shown[name], text)]
        shell, complaint = run(PROGRAM, "geodesic", f"{folder}/model.npz", "--from", "0", "--to", "9", "--quiet", *words)
        said = complaint[-1].removeprefix("riemann2 geodesic: ") if complaint else ""
        expected = as_options(raised or "", ("space",)).replace("--obstacles", "--avoid")
        check(f"space {given}", raised is not None and shell == 2 and said == expected, f"Python: {raised}",
              f"shell: {shell} {said}")


def main():
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "demos.csv")
        run(PROGRAM, "generate", "toy", "-o", path, "--demos", "2", "--points", "10", "--quiet")
        assert os.path.exists(path)
        for table in ("fit", "data"):
            TABLES[table] = rows(table)
        for table in ("fit", "data"):
            for row in TABLES[table]:
                for text in texts(row) if row["option"] else []:
                    compare(folder, path, table, row, text)
        model = rm2.WGPLVM(DATA["manifold"], max_iterations=2).fit(rm2.read(path, **DATA))
        model.save(os.path.join(folder, "model.npz"))
        compare_contradictions(model, folder)
        calls = python_calls(model, None, None)
        commands = {"encode": ["encode", f"{folder}/model.npz", path, "--quiet", "-o", "-"],
                    "space": ["metric", f"{folder}/model.npz", "--at", "0,0", "--quiet"]}
        for table, call in calls.items():
            for row in rows(table):
                for text in texts(row):
                    compare_other(table, row, text, call)
        for table, command in commands.items():
            usage = subprocess.run([PROGRAM, command[0], "--help"], capture_output=True, text=True).stdout
            for row in rows(table):
                word = option_of(row)
                if (word in usage or word.replace("--", "--[no-]") in usage) and row["type"] not in ("flag", "seed"):
                    for text in texts(row):
                        compare_shell(table, row, text, command)
    print(f"{passed} passed, {failed} failed")
    return failed > 0


TABLES = {}
KINDS = {"wgplvm": rm2.WGPLVM, "gplvm": rm2.GPLVM}  # a class each, no setting
sys.exit(main())
