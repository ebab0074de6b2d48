#include "pipelines/Currency.h"

namespace portico::crm
{

namespace
{

/// ISO 4217, list one, without metals, test codes and units of account. Sorted.
constexpr std::string_view codes =
    "AED AFN ALL AMD AOA ARS AUD AWG AZN BAM BBD BDT BGN BHD BIF BMD BND BOB BRL BSD BTN BWP BYN BZD CAD CDF CHF CLF CLP CNY COP CRC "
    "CUP CVE CZK DJF DKK DOP DZD EGP ERN ETB EUR FJD FKP GBP GEL GHS GIP GMD GNF GTQ GYD HKD HNL HTG HUF IDR ILS INR IQD IRR ISK JMD "
    "JOD JPY KES KGS KHR KMF KPW KRW KWD KYD KZT LAK LBP LKR LRD LSL LYD MAD MDL MGA MKD MMK MNT MOP MRU MUR MVR MWK MXN MYR MZN NAD "
    "NGN NIO NOK NPR NZD OMR PAB PEN PGK PHP PKR PLN PYG QAR RON RSD RUB RWF SAR SBD SCR SDG SEK SGD SHP SLE SOS SRD SSP STN SVC SYP "
    "SZL THB TJS TMT TND TOP TRY TTD TWD TZS UAH UGX USD UYU UZS VES VND VUV WST XAF XCD XCG XOF XPF YER ZAR ZMW ZWG";

} // namespace

bool isCurrency(std::string_view code)
{
    constexpr std::size_t length = 3;
    if (code.size() != length || code.find(' ') != std::string_view::npos) return false;
    // Codes begin at multiples of four.
    for (std::size_t at = 0; at < codes.size(); at += length + 1)
        if (codes.substr(at, length) == code) return true;
    return false;
}

} // namespace portico::crm
