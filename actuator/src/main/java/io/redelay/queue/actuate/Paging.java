package io.redelay.queue.actuate;

import java.util.List;

import org.jspecify.annotations.Nullable;

/**
 * The requested part of a long list.
 *
 * @param page the number of the page, from 0
 * @param size how many a page can hold
 */
record Paging(int page, int size) {

	private static final int MAX_PAGE = 1_000_000;

	private static final int DEFAULT_SIZE = 50;

	/**
	 * Reads the parameters {@code page} and {@code size}.
	 * @param most how many a page can hold at most
	 */
	static Paging of(@Nullable String page, @Nullable String size, int most) {
		return new Paging(Parameters.number("page", page, 0, MAX_PAGE, 0),
				Parameters.number("size", size, 1, most, Math.min(DEFAULT_SIZE, most)));
	}

	<T> List<T> of(List<T> all) {
		int from = (int) Math.min(all.size(), (long) this.page * this.size);
		return List.copyOf(all.subList(from, Math.min(all.size(), from + this.size)));
	}

	boolean hasNext(int total) {
		return total > (long) (this.page + 1) * this.size;
	}

}
