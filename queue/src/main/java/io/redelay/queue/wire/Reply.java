package io.redelay.queue.wire;

import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;

import io.redelay.queue.request.LaneStatus;
import org.jspecify.annotations.Nullable;

/**
 * Reads the flat reply of a script from its first element to its last.
 */
public final class Reply {

	private final List<?> elements;

	private int position;

	public Reply(List<?> elements) {
		this.elements = elements;
	}

	/**
	 * The reply in words that are separated by blanks.
	 */
	static Reply ofWords(byte[] words) {
		return new Reply(List.of(new String(words, StandardCharsets.UTF_8).split(" ")));
	}

	public boolean hasNext() {
		return this.position < this.elements.size();
	}

	public LaneStatus status() {
		return LaneStatus.valueOf(text());
	}

	public byte[] bytes() {
		return (byte[]) next();
	}

	/**
	 * The next element as bytes, or {@code null} if it is empty.
	 */
	public byte @Nullable [] bytesOrNull() {
		byte[] bytes = bytes();
		return (bytes.length > 0) ? bytes : null;
	}

	public String text() {
		return text(next());
	}

	/**
	 * Returns the words of the next element.
	 */
	public Reply words() {
		return ofWords(bytes());
	}

	/**
	 * The next element as text, or {@code null} if it is empty.
	 */
	public @Nullable String textOrNull() {
		String text = text();
		return text.isEmpty() ? null : text;
	}

	/**
	 * Returns all further elements.
	 */
	public List<String> texts() {
		List<String> texts = new ArrayList<>();
		while (hasNext()) {
			texts.add(text());
		}
		return texts;
	}

	/**
	 * Returns whether the next element is {@link ScriptWords#YES}.
	 */
	public boolean flag() {
		return text().equals(ScriptWords.YES);
	}

	public long number() {
		Object element = next();
		return (element instanceof Long number) ? number : Long.parseLong(text(element));
	}

	public @Nullable Instant timeOrNull() {
		String text = textOrNull();
		return (text != null) ? Instant.ofEpochMilli(Long.parseLong(text)) : null;
	}

	public Instant time() {
		return Instant.ofEpochMilli(number());
	}

	private Object next() {
		return this.elements.get(this.position++);
	}

	private static String text(Object element) {
		return (element instanceof byte[] bytes) ? new String(bytes, StandardCharsets.UTF_8) : element.toString();
	}

}
