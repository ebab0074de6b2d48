#include "pipelines/MoneySum.h"

#include <limits>

namespace portico::crm
{

namespace
{

constexpr std::int64_t limbBase = 1'000'000'000;

} // namespace

std::string sumColumns(std::string_view column)
{
    const std::string name(column), divisor = std::to_string(limbBase);
    return "CAST(sum(" + name + " / " + divisor + ") AS BIGINT), CAST(sum(" + name + " % " + divisor + ") AS BIGINT)";
}

std::int64_t readSum(const Row& row, int column)
{
    if (row.isNull(column)) return 0;
    std::int64_t sum = 0;
    if (__builtin_mul_overflow(row.get<std::int64_t>(column), limbBase, &sum)) return std::numeric_limits<std::int64_t>::max();
    return added(sum, row.get<std::int64_t>(column + 1));
}

std::int64_t percentOf(std::int64_t sum, std::int64_t percent)
{
    constexpr std::int64_t whole = 100;
    return sum / whole * percent + (sum % whole * percent + whole / 2) / whole;
}

std::int64_t added(std::int64_t left, std::int64_t right)
{
    std::int64_t sum = 0;
    return __builtin_add_overflow(left, right, &sum) ? std::numeric_limits<std::int64_t>::max() : sum;
}

} // namespace portico::crm
