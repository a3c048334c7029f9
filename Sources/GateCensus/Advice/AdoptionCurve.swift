/// The daily share of clients below a version, and a forecast of when this share will be low
/// enough.
///
/// New versions are adopted at about the same rate each day, so the share falls by the same
/// percentage each day, and the logarithm of the share falls in a straight line. If some devices
/// never update, the share does not fall to zero and the line bends. In that case, there is no
/// forecast.
package struct AdoptionCurve: Sendable {
    /// A point on the curve: the share in the period that ends on a day.
    package struct Point: Sendable, Equatable {
        /// The day, as the number of days since 1970.
        package let day: Int64
        package let share: Double
    }

    /// The day on which the share will be low enough, or the reason why there is no forecast.
    package enum Forecast: Sendable, Equatable {
        /// `day` is the number of days since 1970; `daily` is the relative decrease in the share per day.
        case reached(day: Int64, daily: Double)
        case unknown(Reason)
    }

    package enum Reason: String, Sendable, Equatable {
        case fewDays = "few-days"
        case fewDevices = "few-devices"
        case notFalling = "not-falling"
        case unsteady
        case flattens
        case far
    }

    /// The minimum and maximum number of points that the line is fitted to; the newest points are
    /// used.
    static let points = 7...14
    /// The share of older clients above which the adoption of a version is considered to have only just begun.
    private static let plateau = 0.95
    /// The minimum slope of the line, which approximates the relative decrease in the share per
    /// day.
    private static let minimumSlope = 0.005
    /// The minimum fraction of the points' variance that the line must explain.
    private static let minimumFit = 0.9
    /// The minimum ratio of the slope of the newer half to the slope of the older half; a lower ratio
    /// means that the curve is flattening.
    private static let bend = 0.8
    /// The maximum length of a forecast, in days per observed day.
    private static let reach = 4.0

    private let points: [Point]

    /// Creates a curve through points in chronological order.
    package init(_ points: [Point]) {
        // The curve starts after the release of the version, because all clients are below the
        // version until then.
        let start = points.lastIndex { $0.share > Self.plateau }.map { $0 + 1 } ?? 0
        self.points = points[start...].filter { $0.share > 0 }.suffix(Self.points.upperBound)
    }

    /// Returns the first day after `today` on which the share no longer exceeds the limit.
    package func forecast(below limit: Double, today: Int64) -> Forecast {
        guard limit > 0, self.points.count >= Self.points.lowerBound,
            let first = self.points.first, let last = self.points.last
        else { return .unknown(.fewDays) }
        let half = self.points.count / 2
        let line = Line(self.points[...])
        let (older, newer) = (Line(self.points[..<half]), Line(self.points.suffix(half)))
        guard line.slope < -Self.minimumSlope, newer.slope < 0 else { return .unknown(.notFalling) }
        guard line.fit >= Self.minimumFit else { return .unknown(.unsteady) }
        guard newer.slope / older.slope >= Self.bend || older.slope >= 0 else {
            return .unknown(.flattens)
        }
        // The later day is the conservative estimate.
        let day = max(line.day(of: limit), newer.day(of: limit))
        guard day <= Double(last.day) + Self.reach * Double(last.day - first.day) else {
            return .unknown(.far)
        }
        return .reached(
            day: max(Int64(day.rounded(.up)), today + 1),
            daily: 1 - Logarithm.inverse(line.slope)
        )
    }
}

/// A straight line through the logarithms of shares, fitted by least squares.
private struct Line {
    let slope: Double
    private let level: Double
    /// The fraction of the variance that the line explains.
    let fit: Double

    init(_ points: ArraySlice<AdoptionCurve.Point>) {
        let count = Double(points.count)
        let logarithms = points.map { Logarithm.natural($0.share) }
        let (meanDay, mean) = (
            points.reduce(0) { $0 + Double($1.day) } / count, logarithms.reduce(0, +) / count
        )
        var (days, both, all) = (0.0, 0.0, 0.0)
        for (point, logarithm) in zip(points, logarithms) {
            let (day, height) = (Double(point.day) - meanDay, logarithm - mean)
            days += day * day
            both += day * height
            all += height * height
        }
        self.slope = days > 0 ? both / days : 0
        self.level = mean - self.slope * meanDay
        self.fit = days > 0 && all > 0 ? both * both / (days * all) : 0
    }

    /// Returns the day, including a fraction, on which the line reaches a share.
    func day(of share: Double) -> Double {
        (Logarithm.natural(share) - self.level) / self.slope
    }
}

/// Logarithms, which the standard library does not provide.
enum Logarithm {
    private static let two = 0.693_147_180_559_945_3

    /// Returns the natural logarithm of a positive number.
    static func natural(_ number: Double) -> Double {
        // ln x = e ln 2 + 2 artanh((m - 1) / (m + 1))
        let ratio = (number.significand - 1) / (number.significand + 1)
        var (power, sum) = (ratio, 0.0)
        for odd in stride(from: 1.0, through: 61, by: 2) {
            sum += power / odd
            power *= ratio * ratio
        }
        return Double(number.exponent) * Self.two + 2 * sum
    }

    /// Returns the number with this natural logarithm, which must be close to zero.
    static func inverse(_ logarithm: Double) -> Double {
        var (term, sum) = (1.0, 1.0)
        for factor in 1...40 {
            term *= logarithm / Double(factor)
            sum += term
        }
        return sum
    }
}
