package io.redelay.queue.wire;

import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;

import io.redelay.queue.request.LaneStatus;
import org.jspecify.annotations.Nullable;

/**
 * Reads the flat reply of a script from its first element to its last.
 */
public final class ReplyReader {

	private final List<?> elements;

	private int position;

	public ReplyReader(List<?> elements) {
		this.elements = elements;
	}

	/**
	 * The reply in words that are separated by blanks.
	 */
	static ReplyReader ofWords(byte[] words) {
		return new ReplyReader(List.of(new String(words, StandardCharsets.UTF_8).split(" ")));
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
	public ReplyReader words() {
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
		return list((each) -> each.text());
	}

	/**
	 * Reads what is left, entry by entry.
	 * @param entry reads an entry
	 * @return the entries
	 */
	public <T> List<T> list(Function<ReplyReader, T> entry) {
		List<T> entries = new ArrayList<>();
		while (hasNext()) {
			entries.add(entry.apply(this));
		}
		return entries;
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

	/**
	 * Reads the time behind the status of a reply that has always the same one.
	 */
	public Instant timeAfterStatus() {
		next();
		return time();
	}

	private Object next() {
		return this.elements.get(this.position++);
	}

	private static String text(Object element) {
		return (element instanceof byte[] bytes) ? new String(bytes, StandardCharsets.UTF_8) : element.toString();
	}

}
