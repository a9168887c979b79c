package io.redelay.queue.script.admin;

import java.time.Instant;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;

import io.redelay.queue.MessageState;
import io.redelay.queue.message.StoredMessage;
import io.redelay.queue.wire.ReplyReader;
import io.redelay.queue.wire.Script;
import io.redelay.queue.wire.ScriptRunner;
import io.redelay.queue.wire.ScriptWords;
import org.jspecify.annotations.Nullable;

/**
 * Shows the messages of a tag, or where they are.
 *
 * @param admin the scripts of the server
 * @since 0.1.0
 */
public record TaggedScript(AdminScripts admin) {

	/**
	 * Shows messages that have a tag, each by its uid, the completed ones last. A message
	 * that gets another uid meanwhile may be missing. If they are large, it ends before
	 * the given count.
	 * @param from where to begin: {@code null} for the first one, or the place that the
	 * last step returned
	 * @param count how many to show, at most {@value AdminScripts#MAX_PAGE}
	 */
	public CompletableFuture<Page<StoredMessage>> run(String queue, String tag, @Nullable String from, int count) {
		return run(queue, tag, from, count, true, StoredMessages::message).thenCompose((page) -> this.admin.messages()
			.unpacked(queue, page.messages())
			.thenApply((messages) -> new Page<>(page.time(), messages, page.passed(), page.next())));
	}

	/**
	 * Returns the places of the messages that have a tag, without reading them.
	 */
	public CompletableFuture<Page<Place>> places(String queue, String tag, @Nullable String from, int count) {
		return run(queue, tag, from, count, false,
				(reply) -> new Place(reply.text(), MessageState.valueOf(reply.text()), reply.timeOrNull()));
	}

	private <T> CompletableFuture<Page<T>> run(String queue, String tag, @Nullable String from, int count,
			boolean shows, Function<ReplyReader, T> message) {
		ScriptRunner runner = this.admin.runner();
		Object[] args = { this.admin.maxBytes(), tag, count, Objects.requireNonNullElse(from, ""),
				shows ? ScriptWords.YES : "" };
		return runner.run("Looking for messages of the queue '" + queue + "' by a tag", Script.TAGGED,
				runner.keys(queue).of(Script.TAGGED), args, (reply) -> {
					Instant time = reply.timeAfterStatus();
					String next = reply.textOrNull();
					int passed = (int) reply.number();
					return new Page<>(time, reply.list(message), passed, next);
				});
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
