package io.redelay.queue.script.admin;

import java.time.Instant;
import java.util.List;
import java.util.concurrent.CompletableFuture;

import io.redelay.queue.wire.Script;
import org.jspecify.annotations.Nullable;

/**
 * Lists the deaths of messages, without reading the messages.
 *
 * @param admin the scripts of the server
 * @since 0.1.0
 */
public record DeathsScript(AdminScripts admin) {

	/**
	 * Lists deaths, the last one first. If their causes are long, it ends before the page
	 * is full.
	 * @param offset how many to pass over
	 * @param count how many to list, at most {@value AdminScripts#MAX_PAGE}
	 */
	public CompletableFuture<Page> run(String queue, long offset, int count) {
		return this.admin.runner().run(Script.DEATHS, queue, "Looking at the dead messages of", (reply) -> {
			reply.timeAfterStatus();
			boolean hasNext = reply.flag();
			return new Page(reply.list((each) -> new Death(each.text(), each.time(), each.textOrNull())), hasNext);
		}, offset, count, this.admin.maxBytes());
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
