package io.redelay.queue.script.admin;

import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;

import io.redelay.queue.MessageState;
import io.redelay.queue.message.StoredMessage;
import io.redelay.queue.wire.QueueKeys;
import io.redelay.queue.wire.Reply;
import io.redelay.queue.wire.Script;
import io.redelay.queue.wire.ScriptRunner;
import io.redelay.queue.wire.ScriptWords;
import org.jspecify.annotations.Nullable;

/**
 * Shows the messages of a tag, or where they are.
 *
 * @since 0.1.0
 */
public final class TaggedScript {

	private final ScriptRunner runner;

	private final String maxBytes;

	TaggedScript(ScriptRunner runner, String maxBytes) {
		this.runner = runner;
		this.maxBytes = maxBytes;
	}

	/**
	 * Shows messages that have a tag, each by its uid, the completed ones last. A message
	 * that gets another uid meanwhile may be missing. If they are large, it ends before
	 * the given count.
	 * @param from where to begin: {@code null} for the first one, or the place that the
	 * last step returned
	 * @param count how many to show, at most {@value AdminScripts#MAX_PAGE}
	 */
	public CompletableFuture<Page<StoredMessage>> run(String queue, String tag, @Nullable String from, int count) {
		return run(queue, tag, from, count, true, StoredMessages::read);
	}

	/**
	 * Returns the places of the messages that have a tag, without reading them.
	 */
	public CompletableFuture<Page<Place>> places(String queue, String tag, @Nullable String from, int count) {
		return run(queue, tag, from, count, false, TaggedScript::places);
	}

	private <T> CompletableFuture<Page<T>> run(String queue, String tag, @Nullable String from, int count,
			boolean shows, Function<Reply, List<T>> messages) {
		QueueKeys all = this.runner.keys(queue);
		Object[] args = { this.maxBytes, tag, Integer.toString(count), Objects.requireNonNullElse(from, ""),
				shows ? ScriptWords.YES : "" };
		return this.runner.run("Looking for messages of the queue '" + queue + "' by a tag", Script.TAGGED,
				all.of(Script.TAGGED), args, (reply) -> {
					reply.text();
					Instant time = reply.time();
					String next = reply.textOrNull();
					int passed = (int) reply.number();
					return new Page<>(time, messages.apply(reply), passed, next);
				});
	}

	private static List<Place> places(Reply reply) {
		List<Place> places = new ArrayList<>();
		while (reply.hasNext()) {
			places.add(new Place(reply.text(), MessageState.valueOf(reply.text()), reply.timeOrNull()));
		}
		return places;
	}

	/**
	 * Messages of a tag, or as many of them as may be read at once.
	 *
	 * @param <T> the data of a message
	 * @param time the store's clock
	 * @param messages the messages
	 * @param passed how many were gone through for it
	 * @param next where the next ones begin, or {@code null} if there are none
	 */
	public record Page<T>(Instant time, List<T> messages, int passed, @Nullable String next) {

	}

	/**
	 * Where a message is.
	 *
	 * @param uid its uid
	 * @param state its state
	 * @param diedAt when it died, if it is dead
	 */
	public record Place(String uid, MessageState state, @Nullable Instant diedAt) {

	}

}
