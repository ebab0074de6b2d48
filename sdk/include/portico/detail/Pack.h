#pragma once

#include <cstddef>
#include <type_traits>
#include <utility>

namespace portico::detail
{

/// One value of a pack, at its place.
template <std::size_t I, class T>
struct PackedAt
{
    T value;
};

template <class Places, class... T>
struct PackOf;

/// Values of a type each, in order: a std::tuple without its constructors, between which a compiler spends more time than on all else of a
/// described record. An aggregate: `Pack<A, B>{{a}, {b}}` reads from left to right.
template <std::size_t... I, class... T>
struct PackOf<std::index_sequence<I...>, T...> : PackedAt<I, T>...
{
    static constexpr std::size_t size = sizeof...(T);

    template <class V>
    constexpr decltype(auto) apply(V&& visit) const&
    {
        return std::forward<V>(visit)(static_cast<const PackedAt<I, T>&>(*this).value...);
    }
    template <class V>
    constexpr decltype(auto) apply(V&& visit) &&
    {
        return std::forward<V>(visit)(static_cast<PackedAt<I, T>&&>(*this).value...);
    }
};

template <class... T>
using Pack = PackOf<std::index_sequence_for<T...>, T...>;

/// The value at a place of a pack.
template <std::size_t I, class T>
constexpr const T& at(const PackedAt<I, T>& packed)
{
    return packed.value;
}

} // namespace portico::detail
