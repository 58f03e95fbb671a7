"""The process in which the compiler runs; started by its path, so that it imports nothing of the project.

Arguments: a folder to work in, the name of the class, megabytes of address space (0: no limit). The folder holds ``lib`` (the
libraries' files) and ``user.mo`` (the model's own text with a class at the end that is flattened); ``flat.json`` or
``error.json`` is written.
"""

import json
import os
import sys

FLATTENED = "ModiaFlattened"


def main() -> None:
    """Flatten the class `FLATTENED` of the prepared folder; what the compiler says becomes ``flat.json`` or ``error.json``."""
    folder, megabytes = sys.argv[1], int(sys.argv[2])
    os.chdir(folder)  # places are relative to it, so that the compiler's own cache of parsed files serves all folders
    if megabytes:
        import resource

        allowed = resource.getrlimit(resource.RLIMIT_AS)[1]  # by who started us
        limit = megabytes << 20 if allowed == resource.RLIM_INFINITY else min(megabytes << 20, allowed)
        resource.setrlimit(resource.RLIMIT_AS, (limit, allowed))
    import rumoca

    with open("user.mo", encoding="utf-8", newline="") as file:
        text = file.read()
    try:
        model = rumoca.Session(roots=["lib"]).loads(text, model=FLATTENED, filename="user.mo")
        answer, name = model.to_json(stage="flat"), "flat.json"
    except rumoca.RumocaError as error:
        said = [entry.message for entry in rumoca.validate_source(text, filename="user.mo")]  # syntax, with its place
        answer, name = json.dumps({"message": str(error), "said": said}), "error.json"
    with open(name, "w", encoding="utf-8") as file:
        file.write(answer)


if __name__ == "__main__":
    main()
