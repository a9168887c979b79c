package io.redelay.queue.script.admin;

import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;

import io.redelay.queue.wire.QueueKeys;
import io.redelay.queue.wire.Script;
import io.redelay.queue.wire.ScriptRunner;
import org.jspecify.annotations.Nullable;

/**
 * Looks at a key to deduplicate by.
 *
 * @since 0.1.0
 */
public final class DedupKeyScript {

	private final ScriptRunner runner;

	DedupKeyScript(ScriptRunner runner) {
		this.runner = runner;
	}

	/**
	 * @return the message that has the key, for each way of deduplication
	 */
	public CompletableFuture<List<Holder>> run(String queue, String key) {
		QueueKeys keys = this.runner.keys(queue);
		return this.runner.run("Looking at a key to deduplicate by of the queue '" + queue + "'", Script.DEDUP_KEY,
				keys.of(Script.DEDUP_KEY), new Object[] { key }, (reply) -> {
					reply.text();
					reply.time();
					List<Holder> found = new ArrayList<>();
					while (reply.hasNext()) {
						found.add(new Holder(reply.text(), reply.text(), reply.timeOrNull(), (int) reply.number()));
					}
					return found;
				});
	}

	/**
	 * The key to deduplicate by of a message.
	 *
	 * @param way in which way: {@code f} the first wins, {@code d} debounce, {@code a}
	 * aggregate
	 * @param id the message's id or uid
	 * @param until when the key ends, or {@code null} if it does so with its message
	 * @param payloads how many payloads have gathered
	 */
	public record Holder(String way, String id, @Nullable Instant until, int payloads) {

	}

}
