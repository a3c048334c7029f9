/// A day in the Gregorian calendar, in 1970 or later.
///
/// In calculations, years start in March, so that the leap day is the last day of a year, and each
/// month starts on the same day number in every year.
package struct CivilDate: Sendable, Equatable {
    private static let daysPerEra = 146_097
    private static let yearsPerEra = 400
    /// The number of days from 0000-03-01 to 1970-01-01.
    private static let daysBeforeEpoch = 719_468

    package let year: Int
    /// The month, from 1 to 12.
    package let month: Int
    /// The day of the month, starting at 1.
    package let day: Int

    /// Creates a date.
    ///
    /// Returns `nil` if the day does not exist, or if the year is outside 1970 to 9999.
    package init?(year: Int, month: Int, day: Int) {
        guard (1970...9999).contains(year), (1...12).contains(month),
            (1...Self.length(ofMonth: month, in: year)).contains(day)
        else { return nil }
        self.year = year
        self.month = month
        self.day = day
    }

    /// Creates the date that is the given number of days after 1970-01-01.
    package init(daysSinceEpoch: Int) {
        let days = daysSinceEpoch + Self.daysBeforeEpoch
        let era = days / Self.daysPerEra
        let dayOfEra = days % Self.daysPerEra
        let leapDays = dayOfEra / 1_460 - dayOfEra / 36_524 + dayOfEra / 146_096
        let yearOfEra = (dayOfEra - leapDays) / 365
        let dayOfYear = dayOfEra - Self.days(beforeYear: yearOfEra)
        let monthFromMarch = (5 * dayOfYear + 2) / 153
        self.month = monthFromMarch < 10 ? monthFromMarch + 3 : monthFromMarch - 9
        self.year = era * Self.yearsPerEra + yearOfEra + (self.month <= 2 ? 1 : 0)
        self.day = dayOfYear - Self.days(beforeMonth: monthFromMarch) + 1
    }

    /// The number of days since 1970-01-01.
    package var daysSinceEpoch: Int {
        let yearFromMarch = self.month <= 2 ? self.year - 1 : self.year
        let monthFromMarch = self.month <= 2 ? self.month + 9 : self.month - 3
        return yearFromMarch / Self.yearsPerEra * Self.daysPerEra
            + Self.days(beforeYear: yearFromMarch % Self.yearsPerEra)
            + Self.days(beforeMonth: monthFromMarch) + self.day - 1 - Self.daysBeforeEpoch
    }

    package static func length(ofMonth month: Int, in year: Int) -> Int {
        switch month {
        case 2: self.isLeap(year) ? 29 : 28
        case 4, 6, 9, 11: 30
        default: 31
        }
    }

    private static func isLeap(_ year: Int) -> Bool {
        year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)
    }

    /// Returns the number of days from the start of an era to a year, where years start in March.
    private static func days(beforeYear year: Int) -> Int {
        year * 365 + year / 4 - year / 100
    }

    /// Returns the number of days from the start of a year to a month, counting months from March.
    ///
    /// Five consecutive months of such a year total 153 days, unless they include February.
    private static func days(beforeMonth month: Int) -> Int {
        (153 * month + 2) / 5
    }
}
