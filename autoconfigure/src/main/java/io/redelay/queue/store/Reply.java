package io.redelay.queue.store;

import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.List;

import org.jspecify.annotations.Nullable;

/**
 * Reads the flat reply of a script from its first element to its last.
 */
final class Reply {

	private final List<?> elements;

	private int position;

	Reply(List<?> elements) {
		this.elements = elements;
	}

	boolean hasNext() {
		return this.position < this.elements.size();
	}

	LaneStatus status() {
		return LaneStatus.valueOf(text());
	}

	byte[] bytes() {
		return (byte[]) this.elements.get(this.position++);
	}

	String text() {
		return new String(bytes(), StandardCharsets.UTF_8);
	}

	/**
	 * The next element as text, or {@code null} if it is empty.
	 */
	@Nullable String textOrNull() {
		String text = text();
		return text.isEmpty() ? null : text;
	}

	/**
	 * Whether the next element is {@code 1}.
	 */
	boolean flag() {
		return text().equals("1");
	}

	long number() {
		Object element = this.elements.get(this.position++);
		return (element instanceof Long number) ? number
				: Long.parseLong(new String((byte[]) element, StandardCharsets.UTF_8));
	}

	@Nullable Instant timeOrNull() {
		String text = textOrNull();
		return (text != null) ? Instant.ofEpochMilli(Long.parseLong(text)) : null;
	}

	Instant time() {
		return Instant.ofEpochMilli(number());
	}

}
