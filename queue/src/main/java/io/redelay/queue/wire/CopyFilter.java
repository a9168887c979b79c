package io.redelay.queue.wire;

import java.util.List;
import java.util.Map;
import java.util.function.Supplier;

import io.redelay.queue.GroupFilter;
import io.redelay.queue.message.EnvelopeCodec;
import io.redelay.queue.message.EnvelopeException;
import io.redelay.queue.message.NewMessage;
import io.redelay.queue.request.CopySelection;
import org.jspecify.annotations.Nullable;

import org.springframework.util.function.SingletonSupplier;

/**
 * Applies the filters of groups to messages, of which the headers are read once, and only
 * if a group has a filter.
 */
public final class CopyFilter {

	private static final EnvelopeCodec CODEC = new EnvelopeCodec();

	private final Supplier<List<@Nullable Map<String, String>>> headers;

	public CopyFilter(List<NewMessage> messages) {
		this.headers = SingletonSupplier
			.of(() -> messages.stream().map((message) -> headers(message.envelope())).toList());
	}

	/**
	 * Returns which of the messages a group gets copies of, or {@code null} if it gets
	 * all.
	 */
	public @Nullable CopySelection select(GroupFilter filter) {
		if (filter.isEmpty()) {
			return null;
		}
		StringBuilder marks = new StringBuilder();
		this.headers.get().forEach((each) -> marks.append(accepts(filter, each) ? ScriptWords.YES : ScriptWords.NO));
		CopySelection selection = new CopySelection(marks.toString());
		return selection.isComplete() ? null : selection;
	}

	/**
	 * Returns whether a group gets a copy of a message whose envelope is given.
	 */
	public static boolean accepts(GroupFilter filter, byte[] envelope) {
		return accepts(filter, headers(envelope));
	}

	private static boolean accepts(GroupFilter filter, @Nullable Map<String, String> headers) {
		return headers == null || filter.accepts(headers);
	}

	/**
	 * Returns the headers; {@code null} if they cannot be read: a listener sees a copy
	 * too many, but nothing shows that a copy is missing.
	 */
	private static @Nullable Map<String, String> headers(byte[] envelope) {
		try {
			return CODEC.headers(envelope);
		}
		catch (EnvelopeException ex) {
			return null;
		}
	}

}
