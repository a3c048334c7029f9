/// The share of clients below a version, day by day, and when it will have fallen far enough.
///
/// New versions are taken up at about the same rate each day, so that the share falls by the same part of
/// itself: a straight line through its logarithm. Old phones that never update make it end above zero, and
/// the line bends; no day is told then.
package struct AdoptionCurve: Sendable {
    /// A point: the share of the days that ended with this one.
    package struct Point: Sendable, Equatable {
        /// Days since 1970.
        package let day: Int64
        package let share: Double

        package init(day: Int64, share: Double) {
            self.day = day
            self.share = share
        }
    }

    /// The day on which the share has fallen far enough, or why nobody can say.
    package enum Forecast: Sendable, Equatable {
        /// `day`: days since 1970; `daily`: the part of itself by which the share falls in a day.
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

    /// The newest points that a line is laid through, and how many it takes.
    static let points = 7...14
    /// Above it, the version has only begun to be taken up.
    private static let plateau = 0.95
    /// The least fall in a day that is one, as a part of the share.
    private static let leastFall = 0.005
    /// The least part of the points' variance that the line explains.
    private static let leastFit = 0.9
    /// The fall of the newer half, as a part of that of the older one, below which the curve bends.
    private static let bend = 0.8
    /// Days ahead that are told for each day that was seen.
    private static let reach = 4.0

    private let points: [Point]

    /// A curve through points in the order of their days.
    package init(_ points: [Point]) {
        // All clients are below a version before it is out.
        let start = points.lastIndex { $0.share > Self.plateau }.map { $0 + 1 } ?? 0
        self.points = points[start...].filter { $0.share > 0 }.suffix(Self.points.upperBound)
    }

    /// The first day from `today` on at which the share is not above the limit any more.
    package func forecast(below limit: Double, today: Int64) -> Forecast {
        guard limit > 0, self.points.count >= Self.points.lowerBound,
            let first = self.points.first, let last = self.points.last
        else { return .unknown(.fewDays) }
        let half = self.points.count / 2
        let line = Line(self.points[...])
        let (older, newer) = (Line(self.points[..<half]), Line(self.points.suffix(half)))
        guard line.slope < -Self.leastFall, newer.slope < 0 else { return .unknown(.notFalling) }
        guard line.fit >= Self.leastFit else { return .unknown(.unsteady) }
        guard newer.slope / older.slope >= Self.bend || older.slope >= 0 else {
            return .unknown(.flattens)
        }
        // The slower of both is the careful one.
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

/// The straight line through the logarithms of shares, by least squares.
private struct Line {
    let slope: Double
    private let level: Double
    /// The part of the variance that it explains.
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

    /// The day, with its fraction, at which the line crosses a share.
    func day(of share: Double) -> Double {
        (Logarithm.natural(share) - self.level) / self.slope
    }
}

/// Logarithms, which the standard library does not have.
enum Logarithm {
    private static let two = 0.693_147_180_559_945_3

    /// The natural logarithm of a positive number.
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

    /// The number of which this is the natural logarithm, for one that is not far from zero.
    static func inverse(_ logarithm: Double) -> Double {
        var (term, sum) = (1.0, 1.0)
        for factor in 1...40 {
            term *= logarithm / Double(factor)
            sum += term
        }
        return sum
    }
}
