internal import GateCensus
internal import GatePolicy

/// A cache of the row IDs of cells and shapes.
///
/// A lookup in the file costs as much as updating a row, and most cells recur in each write.
struct CensusRowIDs {
    /// The number of cells and shapes at which the cache is cleared.
    private static let limit = 16_384

    private var cells: [CensusCell: Int64] = [:]
    private var shapes: [PathShape: Int64] = [:]
    private var dataVersion: Int64?

    /// Clears the cache if it is full, or if another connection has written to the file, such as
    /// the connection of a purge or of another gate.
    ///
    /// The caller must be in the transaction that uses the IDs.
    mutating func check(in database: SQLiteDatabase) throws(SQLiteDatabase.Failure) {
        let version = try database.integer("PRAGMA data_version")
        let isFull = self.cells.count + self.shapes.count > Self.limit
        guard isFull || version != self.dataVersion else { return }
        self = CensusRowIDs()
        self.dataVersion = version
    }

    /// Returns the ID of a cell, inserting the cell if it does not exist.
    mutating func id(
        of cell: CensusCell,
        in database: SQLiteDatabase
    ) throws(SQLiteDatabase.Failure) -> Int64 {
        if let known = self.cells[cell] { return known }
        let written = cell.isWritable ? cell : cell.other
        let id = try Self.id(of: written.text, in: "cells", of: database)
        self.cells[cell] = id
        return id
    }

    /// Returns the ID of a shape, inserting the shape if it does not exist.
    mutating func id(
        of shape: PathShape,
        in database: SQLiteDatabase
    ) throws(SQLiteDatabase.Failure) -> Int64 {
        if let known = self.shapes[shape] { return known }
        let id = try Self.id(of: shape.text, in: "shapes", of: database)
        self.shapes[shape] = id
        return id
    }

    private static func id(
        of text: String,
        in table: String,
        of database: SQLiteDatabase
    ) throws(SQLiteDatabase.Failure) -> Int64 {
        if let id = try database.integer("SELECT id FROM \(table) WHERE text = ?", [.text(text)]) {
            return id
        }
        try database.run("INSERT INTO \(table) (text) VALUES (?)", [.text(text)])
        return try database.integer("SELECT last_insert_rowid()") ?? 0
    }
}
