"""Three ways to sort, whose benchmarks are in ``benchmarks``."""


def insertion(values: list[int]) -> list[int]:
    """Sort by insertion: n²/4 comparisons."""
    result: list[int] = []
    for value in values:
        at = len(result)
        while at and result[at - 1] > value:
            at -= 1
        result.insert(at, value)
    return result


def merge(values: list[int]) -> list[int]:
    """Sort by merging halves: n log n comparisons."""
    if len(values) < 2:
        return list(values)
    half = len(values) // 2
    left, right = merge(values[:half]), merge(values[half:])
    result: list[int] = []
    i = j = 0
    while i < len(left) and j < len(right):
        if left[i] <= right[j]:
            result.append(left[i])
            i += 1
        else:
            result.append(right[j])
            j += 1
    return result + left[i:] + right[j:]


def count(values: list[int]) -> list[int]:
    """Sort by counting equal values."""
    number: dict[int, int] = {}
    for value in values:
        number[value] = number.get(value, 0) + 1
    return [value for value in sorted(number) for _ in range(number[value])]
