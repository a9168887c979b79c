package io.redelay.queue.message;

import java.nio.charset.StandardCharsets;

import org.jspecify.annotations.Nullable;

/**
 * Keeps a message when it is acknowledged, with earlier kept messages, as long as they
 * are within the bounds. Stands before all other sections.
 *
 * @param id the id that its sender gave it, or {@code null}
 * @param bounds the bounds
 * @since 0.1.0
 */
public record KeptMessage(@Nullable String id, RetentionBounds bounds) implements CompletionSection {

	@Override
	public char type() {
		return 'k';
	}

	@Override
	public byte[] text() {
		return (this.bounds.maxAge().toMillis() + " " + this.bounds.maxCount() + " " + this.bounds.maxBytes() + " "
				+ ((this.id != null) ? this.id : ""))
			.getBytes(StandardCharsets.UTF_8);
	}

	@Override
	public long size() {
		return 100;
	}

}
