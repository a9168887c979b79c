package io.redelay.queue.script.admin;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.CompletableFuture;

import io.redelay.queue.message.ScriptTime;
import io.redelay.queue.wire.ReplyReader;
import io.redelay.queue.wire.Script;
import io.redelay.queue.wire.ScriptRunner;
import org.jspecify.annotations.Nullable;

/**
 * Lists the dead messages of a queue that a rule may redrive.
 *
 * @param admin the scripts of the server
 * @since 0.1.0
 */
public record RedrivableScript(AdminScripts admin) {

	/**
	 * Lists dead messages, the first one to die first. Where they are large, it ends
	 * before the last one.
	 * @param queue the queue
	 * @param behind the message behind which to begin, or {@code null} for the first one
	 * @param deadFor for how long they have been dead at least
	 * @param until by when they have died, or {@code null} for any time
	 * @param count how many to list, at most {@link AdminScripts#MAX_PAGE}
	 * @return what is known of them
	 */
	public CompletableFuture<Page> run(String queue, @Nullable Death behind, Duration deadFor, @Nullable Instant until,
			int count) {
		Object[] args = { (behind != null) ? behind.uid() : "",
				RedriveTurnScript.millis((behind != null) ? behind.at() : null), ScriptTime.millis(deadFor),
				RedriveTurnScript.millis(until), count, this.admin.maxBytes() };
		ScriptRunner runner = this.admin.runner();
		return runner.run("Looking for dead messages of the queue '" + queue + "' to redrive", Script.REDRIVABLE,
				runner.keys(queue).of(Script.REDRIVABLE), args, (reply) -> {
					Instant time = reply.timeAfterStatus();
					boolean hasNext = reply.flag();
					Instant following = reply.timeOrNull();
					return new Page(time, reply.list(RedrivableScript::death), hasNext, following);
				});
	}

	private static Death death(ReplyReader reply) {
		String uid = reply.text();
		Instant at = reply.time();
		String reason = reply.textOrNull();
		String rounds = reply.textOrNull();
		return new Death(uid, at, reason, (rounds != null) ? Integer.valueOf(rounds) : null);
	}

	/**
	 * Some of the dead messages.
	 *
	 * @param time when they were looked for, by the clock of the store
	 * @param deaths the messages, the first one to die first
	 * @param hasNext whether there are more of them
	 * @param following when the first one died that has not been dead for long enough, if
	 * there is one and there are no more
	 */
	public record Page(Instant time, List<Death> deaths, boolean hasNext, @Nullable Instant following) {

	}

	/**
	 * A dead message.
	 *
	 * @param uid its uid
	 * @param at when it died
	 * @param reason their cause of death, if known
	 * @param rounds in how many rounds it was redriven; {@code null} if they cannot be
	 * counted
	 */
	public record Death(String uid, Instant at, @Nullable String reason, @Nullable Integer rounds) {

	}

}
