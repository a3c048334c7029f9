internal import GateCensus
internal import GatePolicy

extension AdoptionCurve.Forecast {
    /// The forecast as text.
    var words: String {
        switch self {
        case .reached(let day, let daily):
            "within the limit from about \(Self.date(day)), if their share keeps falling by "
                + "\(ShareFormat.percent(daily)) per day"
        case .unknown(.fewDays): "no date: the census covers too few days"
        case .unknown(.fewDevices): "no date: too few clients for a forecast"
        case .unknown(.notFalling): "no date: their share does not fall"
        case .unknown(.unsteady): "no date: their share falls too unevenly"
        case .unknown(.flattens):
            "no date: their share falls more and more slowly; some clients never update"
        case .unknown(.far): "no date: too far in the future"
        }
    }

    /// Returns a number of days since 1970 as a date: `2027-01-15`.
    static func date(_ day: Int64) -> String {
        String("\(Timestamp(secondsSinceEpoch: day * 86_400))".prefix(10))
    }
}
