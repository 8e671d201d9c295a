# SPDX-License-Identifier: Apache-2.0
"""Compares what serry reads of real files with what should be read, in TAP.

Arguments: the program, and a folder with configs/expected.json and
hf-config/*.json.
"""
import json
import os
import subprocess
import sys
import tempfile

SERRY, FOLDER = sys.argv[1:3]
CONFIGS = os.path.join(FOLDER, "configs")

# What expected.json calls otherwise than the runtimes do.
FACTS = {"topk": "experts_per_token"}
OPTIONS = {"pipeline_layout": "pipeline_model_parallel_layout"}
DERIVED = {
    "edp": "expert_dp",
    "ep_group": "group",
    "dispatch_capacity": "capacity",
}

number = failures = 0


def report(ok, name, *details):
    global number, failures
    number += 1
    print("ok" if ok else "not ok", number, "-", name)
    if not ok:
        failures += 1
        for line in details:
            for part in str(line).splitlines()[:12]:
                print("#  ", part)


def serry(*arguments):
    """The exit code, the documents on standard output, standard error."""
    done = subprocess.run([SERRY, "-o", "json", *arguments], text=True,
                          capture_output=True, timeout=60)
    documents, rest, decoder = [], done.stdout.strip(), json.JSONDecoder()
    while rest:
        document, end = decoder.raw_decode(rest)
        documents.append(document)
        rest = rest[end:].strip()
    return done.returncode, documents, done.stderr


def fields(runtime):
    """The names of a runtime's options by what users type for them."""
    code, documents, _ = serry("runtime", "show", runtime)
    if code != 0 or "import" not in documents[0]:
        return None
    options = documents[0].get("options", {})
    return {o.get("field", name): name for name, o in options.items()}


def compare_read(entry, path, options):
    code, documents, said = serry("import", entry["framework"], path,
                                  "--world", "64")
    name = entry["path"]
    if code != 0:
        report(False, name + " is read", said)
        return
    request = documents[-1]
    sizes = request.get("sizes", {})
    wanted = {axis: size for axis, size in entry["sizes"].items()
              if axis in sizes or size != 1}
    report(sizes == wanted, name + ": its sizes", sizes, wanted)
    for key, value in entry["options"].items():
        key = OPTIONS.get(key, key)
        option = options.get(key)
        if option is not None:
            read = request.get("options", {}).get(option)
            report(read == value, f"{name}: {key}", read, value)
        else:
            report(key.replace("_", "-") in said,
                   f"{name}: {key} is said not to be read", said)
    if len(documents) > 1:
        facts = documents[0]["facts"]
        for key, value in entry["facts"].items():
            if FACTS.get(key, key) in facts:
                report(facts[FACTS.get(key, key)] == value, f"{name}: {key}",
                       facts, value)


def missing_facts(entry, path, folder):
    """Arguments that give the facts which are known, but not in the file."""
    facts = {FACTS.get(k, k): v for k, v in entry["facts"].items()}
    _, documents, _ = serry("import", entry["framework"], path, "--world", "64")
    said = documents[0]["facts"] if len(documents) > 1 else {}
    if not facts.keys() - said.keys():
        return []
    model = os.path.join(folder, "known.json")
    with open(model, "w") as file:
        json.dump({"model": "known", "facts": facts}, file)
    return ["-f", model, "--model", "known"]


def flags_of(case, options):
    if "gpus_per_node" in options:
        return ["--", "--gpus_per_node", str(case["gpus_per_node"])]
    return []


def compare_case(entry, path, case, options, arguments):
    world = case["world"]
    code, documents, said = serry(
        "check", "--offline", "--from", entry["framework"], "-f", path,
        "--world", str(world), *arguments, *flags_of(case, options))
    name = f"{entry['path']} on {world}"
    if not documents:
        report(False, name, code, said)
        return
    verdict = documents[0]
    report(verdict["verdict"] == case["verdict"],
           f"{name}: {case['verdict']}", verdict["findings"],
           verdict["unchecked"], case.get("why"))
    given = entry["sizes"]
    for key, value in case.get("derived", {}).items():
        read = verdict["derived"].get(DERIVED.get(key, key),
                                      verdict["derived"].get(key,
                                                             given.get(key)))
        report(read == value, f"{name}: {key} = {value}", read,
               verdict["derived"])


def compare_framework_files():
    with open(os.path.join(CONFIGS, "expected.json")) as file:
        entries = json.load(file)["files"]
    known = {}
    for entry in entries:
        framework = entry["framework"]
        if framework not in known:
            known[framework] = fields(framework)
            if known[framework] is None:
                report(True, f"{framework} # SKIP it has no import")
        if known[framework] is None:
            continue
        path = os.path.join(CONFIGS, entry["path"])
        compare_read(entry, path, known[framework])
        with tempfile.TemporaryDirectory() as folder:
            arguments = missing_facts(entry, path, folder)
            for case in entry["cases"]:
                compare_case(entry, path, case, known[framework], arguments)


# What the models' own cards say.
MODELS = {
    "deepseek-v2-lite": dict(layers=27, heads=16, kv_heads=16, hidden=2048,
                             vocab=102400, experts=64, experts_per_token=6,
                             expert_ffn=1408, ffn=10944, mla=True,
                             first_dense_layers=1),
    "gpt-oss-120b": dict(layers=36, heads=64, kv_heads=8, head_dim=64,
                         hidden=2880, vocab=201088, experts=128,
                         experts_per_token=4, expert_ffn=2880, mla=False,
                         linear_attention=False),
    "gpt-oss-20b": dict(layers=24, heads=64, kv_heads=8, head_dim=64,
                        hidden=2880, vocab=201088, experts=32,
                        experts_per_token=4, expert_ffn=2880, mla=False,
                        linear_attention=False),
    "qwen3-30b-a3b": dict(layers=48, heads=32, kv_heads=4, head_dim=128,
                          hidden=2048, vocab=151936, experts=128,
                          experts_per_token=8, expert_ffn=768, ffn=6144,
                          mla=False),
    "qwen3.5-35b-a3b": dict(layers=40, heads=16, kv_heads=2, head_dim=256,
                            hidden=2048, vocab=248320, experts=256,
                            experts_per_token=8, expert_ffn=512, mla=False,
                            linear_attention=True),
    "t5-v1_1-xxl": dict(layers=24, heads=64, kv_heads=64, head_dim=64,
                        hidden=4096, vocab=32128, ffn=10240, mla=False),
}


def compare_models():
    folder = os.path.join(FOLDER, "hf-config")
    for file in sorted(os.listdir(folder)):
        name = os.path.splitext(file)[0]
        code, documents, said = serry("import", "hf",
                                      os.path.join(folder, file))
        read = documents[0] if code == 0 else {}
        report(read.get("model") == name, name + " is read", said)
        report(read.get("facts") == MODELS.get(name), name + ": its facts",
               read.get("facts"), MODELS.get(name))
    report(set(MODELS) <= {os.path.splitext(f)[0] for f in os.listdir(folder)},
           "all models are there")


compare_framework_files()
compare_models()
print(f"1..{number}")
sys.exit(failures > 0)
