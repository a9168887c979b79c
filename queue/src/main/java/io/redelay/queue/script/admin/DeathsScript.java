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
 * Lists the deaths of messages, without reading the messages.
 *
 * @since 0.1.0
 */
public final class DeathsScript {

	private final ScriptRunner runner;

	private final String maxBytes;

	DeathsScript(ScriptRunner runner, String maxBytes) {
		this.runner = runner;
		this.maxBytes = maxBytes;
	}

	/**
	 * Lists deaths, the last one first. If their causes are long, it ends before the page
	 * is full.
	 * @param offset how many to pass over
	 * @param count how many to list, at most {@value AdminScripts#MAX_PAGE}
	 */
	public CompletableFuture<Page> run(String queue, long offset, int count) {
		QueueKeys keys = this.runner.keys(queue);
		Object[] args = { Long.toString(offset), Integer.toString(count), this.maxBytes };
		return this.runner.run("Looking at the dead messages of the queue '" + queue + "'", Script.DEATHS,
				keys.of(Script.DEATHS), args, (reply) -> {
					reply.text();
					reply.time();
					boolean hasNext = reply.flag();
					List<Death> deaths = new ArrayList<>();
					while (reply.hasNext()) {
						deaths.add(new Death(reply.text(), reply.time(), reply.textOrNull()));
					}
					return new Page(deaths, hasNext);
				});
	}

	/**
	 * A page of deaths, or as much of it as may be read at once.
	 *
	 * @param deaths the deaths, the last one first
	 * @param hasNext whether there are more
	 */
	public record Page(List<Death> deaths, boolean hasNext) {

	}

	/**
	 * A death in the store, without the message.
	 *
	 * @param uid the message's uid
	 * @param at when it died
	 * @param cause why, as JSON, if that is known
	 */
	public record Death(String uid, Instant at, @Nullable String cause) {

	}

}
