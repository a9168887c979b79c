package io.redelay.queue.store.redis;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;

import io.redelay.queue.store.RedriveStore;
import io.redelay.queue.store.ScriptTime;
import org.jspecify.annotations.Nullable;

/**
 * Keeps on Redis which instance redrives the dead messages of a queue.
 */
final class RedisRedriveStore implements RedriveStore {

	private final ScriptRunner runner;

	private final String maxBytes;

	RedisRedriveStore(ScriptRunner runner, String maxBytes) {
		this.runner = runner;
		this.maxBytes = maxBytes;
	}

	@Override
	public CompletableFuture<Turn> take(String queue, TurnRequest request) {
		Object[] args = { request.owner(), ScriptTime.millis(request.lease()), Long.toString(request.number()),
				request.plan(), millis(request.next()), millis(request.stayed()) };
		return this.runner.run("Taking the turn to redrive the dead messages of the queue '" + queue + "'",
				Script.REDRIVE_TURN, List.of(this.runner.keys(queue).redrive()), args, (reply) -> {
					boolean held = reply.text().equals("OK");
					Instant time = reply.time();
					if (!held) {
						return new Turn(false, time, null, null, reply.time());
					}
					Instant next = reply.timeOrNull();
					String before = reply.textOrNull();
					return new Turn(true, time, next, (before != null) ? Long.valueOf(before) : null, null);
				});
	}

	@Override
	public CompletableFuture<TurnLook> look(String queue) {
		return this.runner.run("Looking at the turn to redrive the dead messages of the queue '" + queue + "'",
				Script.REDRIVE_TURN, List.of(this.runner.keys(queue).redrive()), new Object[] { "" }, (reply) -> {
					reply.text();
					reply.time();
					Instant next = reply.timeOrNull();
					boolean held = reply.flag();
					return new TurnLook(held, next, reply.timeOrNull());
				});
	}

	@Override
	public CompletableFuture<Deaths> deaths(String queue, @Nullable Death behind, Duration deadFor,
			@Nullable Instant until, int count) {
		QueueKeys keys = this.runner.keys(queue);
		Object[] args = { (behind != null) ? behind.uid() : "", millis((behind != null) ? behind.at() : null),
				ScriptTime.millis(deadFor), millis(until), Integer.toString(count), this.maxBytes };
		return this.runner.run("Looking for dead messages of the queue '" + queue + "' to redrive", Script.REDRIVABLE,
				List.of(keys.dead(), keys.deadMessages()), args, (reply) -> {
					reply.text();
					Instant time = reply.time();
					boolean hasNext = reply.flag();
					Instant following = reply.timeOrNull();
					List<Death> deaths = new ArrayList<>();
					while (reply.hasNext()) {
						String uid = reply.text();
						Instant at = reply.time();
						String reason = reply.textOrNull();
						String rounds = reply.textOrNull();
						deaths.add(new Death(uid, at, reason, (rounds != null) ? Integer.valueOf(rounds) : null));
					}
					return new Deaths(time, deaths, hasNext, following);
				});
	}

	private static String millis(@Nullable Instant time) {
		return (time != null) ? Long.toString(time.toEpochMilli()) : "";
	}

}
