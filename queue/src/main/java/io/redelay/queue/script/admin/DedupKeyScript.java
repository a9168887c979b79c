package io.redelay.queue.script.admin;

import java.time.Instant;
import java.util.List;
import java.util.concurrent.CompletableFuture;

import io.redelay.queue.wire.Script;
import io.redelay.queue.wire.ScriptRunner;
import org.jspecify.annotations.Nullable;

/**
 * Looks at a key to deduplicate by.
 *
 * @param runner runs the script
 * @since 0.1.0
 */
public record DedupKeyScript(ScriptRunner runner) {

	/**
	 * @return the message that has the key, for each way of deduplication
	 */
	public CompletableFuture<List<Holder>> run(String queue, String key) {
		return this.runner.run(Script.DEDUP_KEY, queue, "Looking at a key to deduplicate by of", (reply) -> {
			reply.timeAfterStatus();
			return reply.list((each) -> new Holder(each.text(), each.text(), each.timeOrNull(), (int) each.number()));
		}, key);
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
