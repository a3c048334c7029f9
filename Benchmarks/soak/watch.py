"""The gate's resources over time, and whether they grow."""

import csv
import dataclasses

SAMPLE_SECONDS = 2
# The first part of the run, in which pools fill up and memory reaches its level.
WARM_UP_SHARE = 0.2
# The permitted growth in bytes from then to the end; the allocator causes variations of that size.
ALLOWED_BYTES = 2 * 2**20


@dataclasses.dataclass(frozen=True)
class Sample:
    seconds: float
    resident: int
    descriptors: int
    threads: int


def growth(samples):
    """Returns the growth of the resident size in bytes over the samples, by linear regression."""
    count = len(samples)
    if count < 2:
        return 0
    middle = sum(each.seconds for each in samples) / count
    level = sum(each.resident for each in samples) / count
    spread = sum((each.seconds - middle) ** 2 for each in samples)
    slope = sum(
        (each.seconds - middle) * (each.resident - level) for each in samples
    ) / spread
    return slope * (samples[-1].seconds - samples[0].seconds)


def steady_part(samples):
    return samples[int(len(samples) * WARM_UP_SHARE):]


def write(samples, path):
    """Writes the gate's resources over time, starting at second 0."""
    with path.open("w", newline="") as file:
        lines = csv.writer(file)
        lines.writerow(["seconds", "resident_bytes", "descriptors", "threads"])
        for each in samples:
            lines.writerow([
                round(each.seconds - samples[0].seconds, 1), each.resident, each.descriptors,
                each.threads,
            ])
