package io.redelay.benchmarks.far;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.locks.LockSupport;
import java.util.function.IntConsumer;
import java.util.function.Supplier;

import io.redelay.benchmarks.BenchmarkOptions;
import io.redelay.benchmarks.JsonLines;
import io.redelay.benchmarks.Machine;
import io.redelay.benchmarks.RedisInfo;
import io.redelay.benchmarks.RedisTime;
import io.redelay.embedded.redis.RedisServer;
import io.redelay.queue.MessageState;
import io.redelay.queue.OutboundMessage;
import io.redelay.queue.admin.MessageAdmin;
import io.redelay.queue.admin.MessageFilter;

import io.redelay.queue.admin.SearchPage;

/**
 * Measures messages that are due in the far future: what they take of Redis' memory, how
 * fast they are packed and come near, how long a script takes at most, and what commands
 * and other messages of the queue cost meanwhile.
 * <p>
 * Run by hand: see {@code benchmarks/README.md}.
 *
 * @since 0.1.0
 */
public final class FarBenchmark {

	private static final Duration HORIZON = Duration.ofHours(1);

	/**
	 * How long before the messages that are due within one minute they are all scheduled,
	 * and half of how long others move through.
	 */
	private static final Duration AHEAD = Duration.ofMinutes(5);

	private static final int TOGETHER = 1000;

	/**
	 * One message of so many has an id.
	 */
	private static final int NAMED = 1000;

	private static final int COMMANDS = 300;

	private static final int FOUND = 500;

	private static final int NEAR = 50_000;

	private static final int ROUNDS = 5;

	private static final int SECONDS_A_DAY = 86_400;

	private static final int DAYS = 30;

	private static final Duration SAMPLE = Duration.ofSeconds(1);

	/**
	 * All is packed if nothing was for so long: there is a packing a minute.
	 */
	private static final Duration CALM = Duration.ofSeconds(130);

	private final FarOptions options;

	private final JsonLines file;

	private final Reminders reminders;

	private final SplittableRandom random = new SplittableRandom(11);

	private FarBenchmark(FarOptions options, JsonLines file) {
		this.options = options;
		this.file = file;
		this.reminders = new Reminders(options.bytes(), options.text());
	}

	/**
	 * Measures, prints and writes.
	 * @param args {@code --messages=200000}, {@code --unpacked=200000},
	 * {@code --bytes=200}, {@code --text}, {@code --due=1000000}, {@code --rate=10000},
	 * {@code --lasting=1h}, {@code --horizon=5m}, {@code --output=target/far.jsonl}
	 */
	public static void main(String... args) {
		FarOptions options = BenchmarkOptions.read(FarOptions.class, args);
		JsonLines file = new JsonLines(options.output());
		FarBenchmark benchmark = new FarBenchmark(options, file);
		try (RedisServer server = RedisServer.start()) {
			file.begin(Machine.now(server));
			benchmark.memory(server);
		}
		if (options.due() > 0) {
			try (RedisServer server = RedisServer.start()) {
				benchmark.due(server);
			}
		}
		if (options.rate() > 0) {
			try (RedisServer server = RedisServer.start()) {
				benchmark.through(server);
			}
		}
		System.exit(0);
	}

	private void memory(RedisServer server) {
		LongestScripts longest = new LongestScripts(server);
		long before = used(server);
		try (FarApplication application = new FarApplication(server, Duration.ZERO)) {
			cost(application, server, "no message of the far future");
			long start = System.nanoTime();
			schedule(application, 0, this.options.unpacked(), this::muchLater);
			sample("scheduled", "messages a second", this.options.unpacked() / seconds(start));
			cost(application, server, "%,d scheduled".formatted(this.options.unpacked()));
		}
		sample("scheduled", "bytes a message", (double) (used(server) - before) / this.options.unpacked());
		longest.micros();
		try (FarApplication application = new FarApplication(server, HORIZON)) {
			RedisTime time = RedisTime.of(server);
			int sent = this.options.unpacked();
			long packed = 0;
			long start = 0;
			long end = System.nanoTime();
			while (packed == 0 || seconds(end) < CALM.toSeconds()) {
				long begin = System.nanoTime();
				while (sent < this.options.messages() && sent - packed < this.options.unpacked()
						&& seconds(begin) < SAMPLE.toSeconds()) {
					int to = Math.min(this.options.messages(), sent + TOGETHER);
					schedule(application, sent, to, this::muchLater);
					sent = to;
				}
				LockSupport.parkNanos(begin + SAMPLE.toNanos() - System.nanoTime());
				longest.empty();
				long last = packed;
				packed = application.packed();
				if (packed != last) {
					end = System.nanoTime();
					start = (start == 0) ? begin : start;
					sample("packing", "messages packed", packed);
				}
			}
			sample("packed", "messages", packed);
			sample("packed", "messages a second", packed / ((end - start) / 1e9));
			sample("packed", "CPU of Redis a message, µs",
					(double) RedisTime.of(server).since(time).cpuMicros() / packed);
			longest("packing", longest);
			sample("packed", "bytes a message", (double) (used(server) - before) / this.options.messages());
			sample("packed", "used memory of Redis, MB", RedisInfo.of(server, "memory").number("used_memory") / 1e6);
			sample("packed", "memory of its process, MB",
					RedisInfo.of(server, "memory").number("used_memory_rss") / 1e6);
			commands(application.admin().messages());
			longest("commands", longest);
			cost(application, server, "%,d packed".formatted(packed));
			longest("near messages", longest);
		}
	}

	private Duration muchLater() {
		return Duration.ofDays(1).plusSeconds(this.random.nextInt(DAYS * SECONDS_A_DAY));
	}

	/**
	 * What commands take that reach packed messages.
	 */
	private void commands(MessageAdmin messages) {
		int named = Math.max(1, this.options.messages() / NAMED);
		time("find by id", (i) -> messages.find(FarApplication.QUEUE, id(i, named)));
		time("reschedule by id", (i) -> messages.reschedule(FarApplication.QUEUE, id(i, named), Duration.ofDays(2)));
		time("cancel by id", (i) -> messages.cancel(FarApplication.QUEUE, id(i, named)));
		long start = System.nanoTime();
		MessageFilter filter = MessageFilter.all().states(MessageState.SCHEDULED).text("no message has this text");
		String cursor = null;
		long examined = 0;
		double longest = 0;
		do {
			long step = System.nanoTime();
			SearchPage page = messages.search(FarApplication.QUEUE, filter, cursor, FOUND);
			longest = Math.max(longest, seconds(step));
			examined += page.examined();
			cursor = page.cursor();
		}
		while (cursor != null);
		sample("search", "messages examined", examined);
		sample("search", "messages a second", examined / seconds(start));
		sample("search", "longest step, ms", longest * 1e3);
	}

	private static String id(int i, int named) {
		return "id-" + (long) i * named / COMMANDS;
	}

	private void time(String what, IntConsumer command) {
		double[] millis = new double[COMMANDS];
		for (int i = 0; i < COMMANDS; i++) {
			long start = System.nanoTime();
			command.accept(i);
			millis[i] = seconds(start) * 1e3;
		}
		Arrays.sort(millis);
		sample(what, "median, ms", millis[COMMANDS / 2]);
		sample(what, "longest, ms", millis[COMMANDS - 1]);
	}

	/**
	 * What messages cost that are sent and handled at once.
	 */
	private void cost(FarApplication application, RedisServer server, String beside) {
		for (int round = 0; round <= ROUNDS; round++) {
			application.handler().begin();
			RedisTime time = RedisTime.of(server);
			for (int sent = 0; sent < NEAR; sent += TOGETHER) {
				List<OutboundMessage> messages = new ArrayList<>(TOGETHER);
				for (int i = 0; i < TOGETHER; i++) {
					messages.add(OutboundMessage.to(FarApplication.QUEUE, this.reminders.next(i)));
				}
				application.template().sendAll(messages);
			}
			application.handler().await(NEAR);
			if (round > 0) {
				sample(beside, "CPU of Redis a message that is sent and handled, µs",
						RedisTime.of(server).since(time).microsPer(NEAR));
			}
		}
	}

	/**
	 * Many messages that are due within one minute.
	 */
	private void due(RedisServer server) {
		LongestScripts longest = new LongestScripts(server);
		try (FarApplication application = new FarApplication(server, this.options.horizon())) {
			Instant from = Instant.now().plus(AHEAD).plusSeconds(120 + this.options.due() / 10_000);
			schedule(application, 0, this.options.due(),
					() -> Duration.between(Instant.now(), from).plusMillis(this.random.nextInt(60_000)));
			application.handler().begin();
			long most = 0;
			long first = 0;
			long gone = 0;
			RedisTime time = RedisTime.of(server);
			while (application.handler().handled() < this.options.due()) {
				LockSupport.parkNanos(SAMPLE.toNanos());
				longest.empty();
				long packed = application.packed();
				if (packed < most && first == 0) {
					first = System.nanoTime() - SAMPLE.toNanos();
				}
				time = (first == 0) ? RedisTime.of(server) : time;
				if (packed == 0 && most > 0 && gone == 0) {
					gone = System.nanoTime();
					sample("due within a minute", "CPU of Redis a message brought near, µs",
							(double) RedisTime.of(server).since(time).cpuMicros() / most);
					sample("due within a minute", "seconds before the first one was due when all were near",
							Duration.between(Instant.now(), from).toMillis() / 1e3);
				}
				most = Math.max(most, packed);
			}
			sample("due within a minute", "messages packed", most);
			sample("due within a minute", "messages brought near a second", most / Math.max(0.5, (gone - first) / 1e9));
			late("due within a minute", application);
			longest("due within a minute", longest);
		}
	}

	/**
	 * Messages that are sent, packed, brought near and handled for a long time.
	 */
	private void through(RedisServer server) {
		LongestScripts longest = new LongestScripts(server);
		try (FarApplication application = new FarApplication(server, this.options.horizon())) {
			Duration delay = AHEAD.multipliedBy(2);
			long start = System.nanoTime();
			long sampled = start;
			int sent = 0;
			while (seconds(start) < this.options.lasting().toSeconds()) {
				if (sent < seconds(start) * this.options.rate()) {
					schedule(application, sent, sent + TOGETHER, () -> delay.plusMillis(this.random.nextInt(60_000)));
					sent += TOGETHER;
				}
				else {
					LockSupport.parkNanos(1_000_000);
				}
				longest.empty();
				if (seconds(sampled) > 60) {
					sampled = System.nanoTime();
					sample("moving through", "sent", sent);
					sample("moving through", "handled", application.handler().handled());
					sample("moving through", "packed", application.packed());
					sample("moving through", "used memory of Redis, MB",
							RedisInfo.of(server, "memory").number("used_memory") / 1e6);
				}
			}
			application.handler().await(sent);
			sample("moving through", "handled", application.handler().handled());
			sample("moving through", "used memory of Redis at the end, MB",
					RedisInfo.of(server, "memory").number("used_memory") / 1e6);
			late("moving through", application);
			longest("moving through", longest);
		}
	}

	private void late(String part, FarApplication application) {
		sample(part, "late, median, ms", application.handler().lateMillis(50));
		sample(part, "late, 99 of 100, ms", application.handler().lateMillis(99));
		sample(part, "late, the last one, ms", application.handler().lateMillis(100));
	}

	/**
	 * Schedules messages, some of which have an id by their positions.
	 */
	private void schedule(FarApplication application, int from, int to, Supplier<Duration> delays) {
		for (int sent = from; sent < to; sent += TOGETHER) {
			List<OutboundMessage> messages = new ArrayList<>(TOGETHER);
			for (int i = sent; i < Math.min(to, sent + TOGETHER); i++) {
				OutboundMessage message = OutboundMessage.to(FarApplication.QUEUE, this.reminders.next(i))
					.delay(delays.get());
				messages.add((i % NAMED == 0) ? message.id("id-" + i / NAMED) : message);
			}
			application.template().sendAll(messages);
		}
	}

	private void longest(String part, LongestScripts longest) {
		longest.micros().forEach((script, micros) -> {
			sample(part, script + " that took more than 1 ms", micros.size());
			sample(part, "those " + script + ", median, ms", micros.get(micros.size() / 2) / 1e3);
			sample(part, "those " + script + ", 99 of 100, ms", micros.get(micros.size() * 99 / 100) / 1e3);
			sample(part, "those " + script + ", longest, ms", micros.get(micros.size() - 1) / 1e3);
		});
	}

	private void sample(String part, String what, Number value) {
		FarSample sample = new FarSample(part, what, value);
		this.file.add(sample);
		System.out.print(JsonLines.line(sample));
	}

	private static long used(RedisServer server) {
		return RedisInfo.of(server, "memory").number("used_memory");
	}

	private static double seconds(long since) {
		return (System.nanoTime() - since) / 1e9;
	}

}
