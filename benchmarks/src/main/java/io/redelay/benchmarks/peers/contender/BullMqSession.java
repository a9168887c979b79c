package io.redelay.benchmarks.peers.contender;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Locale;
import java.util.concurrent.TimeUnit;

import io.redelay.embedded.redis.RedisServer;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * Sends commands to the process of BullMQ, a line of words each, and reads its answers,
 * each a line of JSON.
 */
final class BullMqSession implements Session {

	private static final String QUEUE = "bull:orders-0:";

	private final Process process;

	private final RedisServer server;

	private final BufferedReader answers;

	BullMqSession(Process process, RedisServer server) {
		this.process = process;
		this.server = server;
		this.answers = process.inputReader(StandardCharsets.UTF_8);
		request("hello");
	}

	@Override
	public void send(Sending sending, int count) {
		switch (sending) {
			case ONE_THREAD -> request("send", 1, count);
			case FUTURES -> request("send", 16, count);
			case BULK -> request("fill", 0, count);
			case THREADS, VIRTUAL_THREADS -> throw new NotOfferedException("Node has one thread");
		}
	}

	@Override
	public void fill(int count) {
		send(Sending.BULK, count);
	}

	@Override
	public void fillLater(int count) {
		request("fill", Duration.ofHours(1).toMillis(), count);
	}

	@Override
	public void expect(int count, int warmUp) {
		request("expect", count, warmUp);
	}

	@Override
	public void listen() {
		request("listen");
	}

	@Override
	public void pace(int count, int perSecond) {
		request("pace", count, perSecond);
	}

	@Override
	public void schedule(int count, Duration first, int perSecond) {
		request("schedule", count, first.toMillis(), perSecond);
	}

	@Override
	public Handled await(Duration limit) {
		JsonNode answer = request("await", limit.toMillis());
		JsonNode late = answer.get("late");
		long[] values = new long[late.size()];
		for (int i = 0; i < values.length; i++) {
			values[i] = late.get(i).asLong();
		}
		return new Handled(answer.get("messages").asInt(), answer.get("repeated").asInt(),
				answer.get("seconds").asDouble(), values.length, values);
	}

	@Override
	public long left() {
		return RedisCommands.count(this.server, "LLEN", QUEUE + "wait")
				+ RedisCommands.count(this.server, "LLEN", QUEUE + "active");
	}

	@Override
	public Duration cpu() {
		return this.process.info().totalCpuDuration().orElse(Duration.ZERO);
	}

	@Override
	public void close() {
		try {
			this.process.getOutputStream().close();
			if (!this.process.waitFor(10, TimeUnit.SECONDS)) {
				this.process.destroyForcibly();
			}
		}
		catch (IOException ex) {
			this.process.destroyForcibly();
		}
		catch (InterruptedException ex) {
			this.process.destroyForcibly();
			Thread.currentThread().interrupt();
		}
	}

	private JsonNode request(String verb, long... numbers) {
		StringBuilder line = new StringBuilder(verb);
		for (long number : numbers) {
			line.append(' ').append(number);
		}
		try {
			this.process.getOutputStream().write(line.append('\n').toString().getBytes(StandardCharsets.UTF_8));
			this.process.getOutputStream().flush();
			String answer = this.answers.readLine();
			if (answer == null) {
				throw new IllegalStateException("BullMQ's process ended at '%s'".formatted(verb));
			}
			JsonNode node = JsonMapper.shared().readTree(answer);
			if (node.has("error")) {
				throw new IllegalStateException(
						String.format(Locale.ROOT, "BullMQ failed at '%s': %s", verb, node.get("error").asString()));
			}
			return node;
		}
		catch (IOException ex) {
			throw new UncheckedIOException("Cannot talk to BullMQ's process", ex);
		}
	}

}
