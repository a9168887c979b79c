package io.redelay.samples.shop.export;

import java.time.Instant;
import java.util.List;

/**
 * How far an export is: what a checkpoint says.
 *
 * @param file the file that holds it
 * @param length how much of that file belongs to it, in bytes
 * @param orders how many orders that is
 * @param createdAt when the last of them was placed
 * @param id the last of them
 */
record Position(String file, long length, long orders, Instant createdAt, String id) {

	static Position start(String file, long length) {
		return new Position(file, length, 0, Instant.EPOCH, "");
	}

	Position in(String otherFile) {
		return new Position(otherFile, this.length, this.orders, this.createdAt, this.id);
	}

	Position after(List<ExportedOrder> page, long newLength) {
		ExportedOrder last = page.get(page.size() - 1);
		return new Position(this.file, newLength, this.orders + page.size(), last.createdAt(), last.id());
	}

}
