package io.redelay.queue.admin;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.IntFunction;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

import io.redelay.queue.Backoff;
import io.redelay.queue.MessageState;
import io.redelay.queue.OutboundMessage;
import io.redelay.queue.QueueListener;
import io.redelay.queue.admin.QueueCalendar.Bar;
import io.redelay.queue.admin.QueueCalendar.Span;
import io.redelay.queue.listener.QueueGates;
import io.redelay.queue.listener.QueueListeners;
import io.redelay.queue.recurring.RecurringDeclaration;
import io.redelay.queue.recurring.RecurringMessages;
import io.redelay.test.ListenerApplication;
import io.redelay.test.TestRedis;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.data.Percentage.withPercentage;

/**
 * Tests for the calendar of a queue, and for jobs that spread what a bar of it holds.
 */
class QueueCalendarIntegrationTests {

	private static final Log logger = LogFactory.getLog(QueueCalendarIntegrationTests.class);

	private static final ZoneId ZONE = ZoneId.of("Asia/Kolkata");

	private static final List<Duration> DELAYS = List.of(Duration.ofMinutes(7), Duration.ofMinutes(7),
			Duration.ofMinutes(29), Duration.ofMinutes(100), Duration.ofHours(20), Duration.ofDays(3),
			Duration.ofDays(20), Duration.ofDays(40));

	@RegisterExtension
	static final TestRedis redis = TestRedis.shared();

	private final String queue = TestRedis.queue();

	@ParameterizedTest
	@CsvSource({ "1,false", "3,false", "1,true", "3,true" })
	void countsWhatIsDueInEachBar(int partitions, boolean keyed) {
		try (ListenerApplication application = application()
			.with("redelay.queue.queues." + this.queue + ".partitions", partitions)
			.start()) {
			UnaryOperator<OutboundMessage> key = (message) -> keyed ? message.orderingKey("k" + message.id()).tag("t")
					: message;
			application.queues()
				.sendAll(messages(DELAYS.size(),
						(i) -> key.apply(OutboundMessage.to(this.queue, "x").id("message-" + i).delay(DELAYS.get(i)))));
			application.queues().send(key.apply(OutboundMessage.to(this.queue, "now")));
			QueueAdmin admin = application.bean(QueueAdmin.class);
			for (Span span : Span.values()) {
				QueueCalendar calendar = admin.queues().calendar(this.queue, span, ZONE);
				List<Bar> bars = calendar.bars();
				assertThat(bars.get(0).from()).isEqualTo(calendar.time());
				Instant end = calendar.time();
				for (Bar bar : bars) {
					assertThat(bar.from()).as("no gap in %s", span).isEqualTo(end).isBefore(bar.to());
					assertThat(bar.due()).as("%s of %s", bar, span).isEqualTo(dueIn(admin, bar));
					end = bar.to();
				}
				assertThat(bars.stream().mapToLong(Bar::due).sum() + calendar.later()).isEqualTo(DELAYS.size());
				assertThat(calendar.scheduled()).isEqualTo(DELAYS.size());
				assertThat(calendar.ready()).isEqualTo(1);
				assertThat(bars).allMatch((bar) -> bar.handling() == null && bar.overrun() == null);
			}
			assertThat(shown(admin, Span.HOUR)).isEqualTo(3);
			assertThat(shown(admin, Span.DAY)).isEqualTo(5);
			assertThat(shown(admin, Span.WEEK)).isEqualTo(6);
			assertThat(shown(admin, Span.MONTH)).isEqualTo(7);
		}
	}

	private long shown(QueueAdmin admin, Span span) {
		return admin.queues().calendar(this.queue, span, ZONE).bars().stream().mapToLong(Bar::due).sum();
	}

	/**
	 * The messages that a reader finds who opens a bar.
	 */
	private long dueIn(QueueAdmin admin, Bar bar) {
		return admin.messages()
			.search(this.queue,
					MessageFilter.all().states(MessageState.SCHEDULED).dueAfter(bar.from()).dueBefore(bar.to()), null,
					100)
			.messages()
			.size();
	}

	@Test
	void readsNothingButCountsHoweverManyAreScheduled() throws Exception {
		try (ListenerApplication application = application()
			.with("redelay.queue.queues." + this.queue + ".partitions", "2")
			.start()) {
			application.queues()
				.sendAll(messages(500, (i) -> OutboundMessage.to(this.queue, i).delay(Duration.ofMinutes(i))));
			QueueAdmin admin = application.bean(QueueAdmin.class);
			int bars = 0;
			List<List<String>> commands;
			try (Monitor monitor = new Monitor(redis)) {
				for (Span span : Span.values()) {
					bars += admin.queues().calendar(this.queue, span, ZoneOffset.UTC).bars().size();
				}
				commands = monitor.commandsOn("{" + this.queue);
			}
			List<List<String>> counts = commands.stream()
				.filter((command) -> command.get(0).equals("ZCOUNT") && command.get(1).endsWith(":scheduled"))
				.filter((command) -> !command.get(3).equals("+inf"))
				.toList();
			assertThat(counts).as("one for each bar and partition").hasSize(2 * bars).allSatisfy((command) -> {
				assertThat(command.get(2)).matches("\\d{13}");
				assertThat(command.get(3)).matches("\\(\\d{13}");
			});
			assertThat(commands).as("no range without an end").noneMatch(Monitor::isUnbounded);
			assertThat(commands.size()).as("commands of four calendars").isLessThan(2 * bars + 400);
		}
	}

	/**
	 * The figure on the page about performance: {@code ./mvnw -pl autoconfigure verify
	 * -Dit.test='QueueCalendarIntegrationTests#takes*' -Dcalendar.messages=1000000}.
	 */
	@Test
	@EnabledIfSystemProperty(named = "calendar.messages", matches = "\\d+")
	void takesAsLongHoweverManyAreScheduled() {
		int many = Integer.getInteger("calendar.messages");
		try (ListenerApplication application = application().start()) {
			QueueAdmin admin = application.bean(QueueAdmin.class);
			long month = Duration.ofDays(31).toMillis();
			for (int first = 0; first < many; first += 10_000) {
				int from = first;
				application.queues()
					.sendAll(messages(Math.min(10_000, many - first), (i) -> OutboundMessage.to(this.queue, "x")
						.delay(Duration.ofMillis(month * (from + i + 1) / many))));
				if (first == 0) {
					logger.info("Calendars of 10,000 messages: " + micros(admin));
				}
			}
			List<Long> micros = micros(admin);
			logger.info("Calendars of " + admin.queues().info(this.queue).scheduled() + " messages: " + micros);
			assertThat(micros).as("µs").allMatch((each) -> each < 300_000);
			admin.control().deleteWithMessages(this.queue);
		}
	}

	/**
	 * The shortest, the median and the longest time of calendars, in µs.
	 */
	private List<Long> micros(QueueAdmin admin) {
		List<Long> micros = new ArrayList<>();
		for (int round = 0; round < 110; round++) {
			for (Span span : Span.values()) {
				long start = System.nanoTime();
				admin.queues().calendar(this.queue, span, ZONE);
				if (round >= 10) {
					micros.add((System.nanoTime() - start) / 1000);
				}
			}
		}
		Collections.sort(micros);
		return List.of(micros.get(0), micros.get(micros.size() / 2), micros.get(micros.size() - 1));
	}

	@Test
	void saysHowLongHandlersNeed() {
		try (ListenerApplication application = application().bean(new Slow()).start()) {
			QueueAdmin admin = application.bean(QueueAdmin.class);
			application.queues().sendAll(messages(40, (i) -> OutboundMessage.to(this.queue, "x")));
			application.queues()
				.sendAll(messages(1_000, (i) -> OutboundMessage.to(this.queue, "later").delay(Duration.ofHours(2))));
			QueueCalendar calendar = Awaitility.await()
				.until(() -> admin.queues().calendar(this.queue, Span.DAY, ZONE), (each) -> each.perSecond() != null);
			QueueFigures figures = admin.queues().diagnose(this.queue).figures();
			assertThat(calendar.perSecond()).isCloseTo(2e9 / figures.meanHandling().toNanos(), withPercentage(20));
			assertThat(calendar.bars()).filteredOn((bar) -> bar.due() > 0).singleElement().satisfies((bar) -> {
				assertThat(bar.due()).isEqualTo(1_000);
				assertThat(bar.handling().toMillis() / 1e6).isCloseTo(1 / calendar.perSecond(), withPercentage(1));
				assertThat(bar.overrun()).isEqualTo(Duration.ZERO);
			});
			admin.limits().change(this.queue, LimitsChange.none().set(QueueLimit.RATE_LIMIT, "1/10s"));
			QueueCalendar limited = admin.queues().calendar(this.queue, Span.DAY, ZONE);
			assertThat(limited.perSecond()).isEqualTo(0.1);
			// 1,000 at one in ten seconds: 10,000 s, of which the bar has 3,600 at most.
			Bar full = limited.bars().stream().filter((bar) -> bar.due() > 0).findFirst().orElseThrow();
			assertThat(full.handling()).isEqualTo(Duration.ofSeconds(10_000));
			assertThat(full.overrun()).isEqualTo(Duration.ofSeconds(6_400));
			Bar next = limited.bars().get(limited.bars().indexOf(full) + 1);
			assertThat(next.overrun()).isEqualTo(Duration.ofSeconds(2_800));
			admin.limits().clear(this.queue);
			application.bean(QueueGates.class).close(this.queue, Duration.ofDays(2));
			assertThat(admin.queues().calendar(this.queue, Span.DAY, ZONE).bars().get(3).overrun())
				.isGreaterThan(Duration.ofHours(40));
			application.bean(QueueGates.class).open(this.queue);
			admin.control().pause(this.queue);
			QueueCalendar paused = admin.queues().calendar(this.queue, Span.DAY, ZONE);
			assertThat(paused.paused()).isTrue();
			assertThat(paused.perSecond()).isNull();
			assertThat(paused.bars()).allMatch((bar) -> bar.handling() == null && bar.overrun() == null);
			admin.control().resume(this.queue);
			application.bean(QueueListeners.class).stop("slow").join();
			Awaitility.await().until(() -> admin.queues().calendar(this.queue, Span.DAY, ZONE).perSecond() == null);
		}
	}

	@Test
	void countsRetriesAndTheNextRunOfARecurringMessage() {
		try (ListenerApplication application = application().bean(new Failing()).start()) {
			QueueAdmin admin = application.bean(QueueAdmin.class);
			application.bean(RecurringMessages.class)
				.declare(RecurringDeclaration.every(this.queue, "daily", Duration.ofDays(1)));
			application.queues().send(this.queue, "x");
			Awaitility.await().until(() -> admin.queues().info(this.queue).scheduled() == 2);
			QueueCalendar calendar = admin.queues().calendar(this.queue, Span.MONTH, ZONE);
			assertThat(calendar.bars().stream().mapToLong(Bar::due).sum()).isEqualTo(2);
			assertThat(calendar.retrying()).isEqualTo(1);
		}
	}

	@Test
	void refusesAQueueThatWasNeverUsed() {
		try (ListenerApplication application = application().start()) {
			assertThatExceptionOfType(UnknownQueueException.class)
				.isThrownBy(() -> application.bean(QueueAdmin.class).queues().calendar(this.queue, Span.DAY, ZONE));
		}
	}

	@ParameterizedTest
	@CsvSource({ "1", "3" })
	void aJobSpreadsWhatIsDueAtOnce(int partitions) {
		try (ListenerApplication application = application()
			.with("redelay.queue.queues." + this.queue + ".partitions", partitions)
			.start()) {
			QueueAdmin admin = application.bean(QueueAdmin.class);
			Instant due = Instant.now().plus(2, ChronoUnit.HOURS).truncatedTo(ChronoUnit.MILLIS);
			application.queues()
				.sendAll(messages(1_200, (i) -> (i < 1_000) ? OutboundMessage.to(this.queue, i).dueAt(due)
						: OutboundMessage.to(this.queue, i).dueAt(due).orderingKey("key-" + i % 10)));
			application.queues().send(OutboundMessage.to(this.queue, "other").delay(Duration.ofHours(5)));
			Instant late = due.plus(30, ChronoUnit.MINUTES);
			application.queues().send(OutboundMessage.to(this.queue, "late").dueAt(late));
			Duration spread = Duration.ofMinutes(10);
			// The new times are within what the filter chooses.
			BulkRequest request = BulkRequest
				.of(BulkAction.RESCHEDULE,
						MessageFilter.all()
							.states(MessageState.SCHEDULED)
							.dueAfter(due)
							.dueBefore(due.plus(1, ChronoUnit.HOURS)))
				.due(due)
				.spread(spread);
			BulkJob job = ended(admin, request);
			assertThat(List.of(job.matched(), job.done(), job.refused())).as("each is moved once")
				.containsExactly(1_200L, 1_200L, 0L);
			assertThat(job.total()).as("those between the two times").isEqualTo(1_201);
			assertThat(ended(admin, request).done()).as("moved again").isZero();
			List<QueuedMessage> moved = scheduled(admin);
			assertThat(moved).hasSize(1_202);
			assertThat(moved).as("none comes earlier").filteredOn((message) -> message.dueAt().equals(late)).hasSize(1);
			List<QueuedMessage> plain = moved.stream()
				.filter((message) -> message.orderingKey() == null && message.dueAt().isBefore(due.plus(spread)))
				.toList();
			assertThat(plain).hasSize(1_000).allMatch((message) -> !message.dueAt().isBefore(due));
			Map<Long, Long> aMinute = plain.stream()
				.collect(Collectors.groupingBy((message) -> Duration.between(due, message.dueAt()).toMinutes(),
						Collectors.counting()));
			assertThat(aMinute).hasSize(10).allSatisfy((minute, count) -> assertThat(count).isBetween(60L, 140L));
			Map<String, Set<Instant>> ofKeys = moved.stream()
				.filter((message) -> message.orderingKey() != null)
				.collect(Collectors.groupingBy(QueuedMessage::orderingKey,
						Collectors.mapping(QueuedMessage::dueAt, Collectors.toSet())));
			assertThat(ofKeys).hasSize(10).allSatisfy((key, times) -> assertThat(times).hasSize(1));
			assertThat(ofKeys.values().stream().distinct().count()).isGreaterThan(5);
		}
	}

	private BulkJob ended(QueueAdmin admin, BulkRequest request) {
		String id = admin.jobs().start(this.queue, request).id();
		return Awaitility.await()
			.until(() -> admin.jobs().find(id).orElseThrow(), (each) -> each.state() == BulkJob.State.DONE);
	}

	private List<QueuedMessage> scheduled(QueueAdmin admin) {
		List<QueuedMessage> all = new ArrayList<>();
		for (int page = 0; page < 3; page++) {
			all.addAll(admin.messages().browse(this.queue, MessageState.SCHEDULED, page, 500).messages());
		}
		return all;
	}

	private static List<OutboundMessage> messages(int count, IntFunction<OutboundMessage> message) {
		return IntStream.range(0, count).mapToObj(message).toList();
	}

	private ListenerApplication.Builder application() {
		return ListenerApplication.on(redis.client()).with("queue", this.queue);
	}

	static class Slow {

		private final CountDownLatch never = new CountDownLatch(1);

		@QueueListener(id = "slow", queues = "${queue}", concurrency = "2")
		void handle(String text) throws InterruptedException {
			this.never.await(20, TimeUnit.MILLISECONDS);
		}

	}

	static class Failing {

		@QueueListener(queues = "${queue}", backoff = @Backoff(initialInterval = "2h"))
		void handle(String text) {
			throw new IllegalStateException("not now");
		}

	}

	/**
	 * All commands of a server, also those within scripts.
	 */
	private static final class Monitor implements AutoCloseable {

		private final Socket socket;

		private final BufferedReader lines;

		Monitor(TestRedis redis) throws IOException {
			this.socket = new Socket(redis.uri().getHost(), redis.uri().getPort());
			this.lines = new BufferedReader(
					new InputStreamReader(this.socket.getInputStream(), StandardCharsets.UTF_8));
			this.socket.getOutputStream().write("MONITOR\r\n".getBytes(StandardCharsets.UTF_8));
			assertThat(this.lines.readLine()).isEqualTo("+OK");
		}

		/**
		 * The commands so far on keys with a text in their names.
		 */
		List<List<String>> commandsOn(String key) throws IOException {
			String last = "end-" + key;
			redis.client().getBucket(last).isExists();
			List<List<String>> commands = new ArrayList<>();
			for (String line = read(); !line.contains(last); line = read()) {
				String words = line.substring(line.indexOf(']') + 2);
				List<String> command = List.of(words.substring(1, words.length() - 1).split("\" \"", -1));
				if (line.contains(" lua] ") && command.size() > 1 && command.get(1).contains(key)) {
					commands.add(command);
				}
			}
			return commands;
		}

		private String read() {
			try {
				return this.lines.readLine();
			}
			catch (IOException ex) {
				throw new UncheckedIOException(ex);
			}
		}

		/**
		 * Whether a command reads more, the more a key holds.
		 */
		static boolean isUnbounded(List<String> command) {
			return switch (command.get(0).toUpperCase(Locale.ROOT)) {
				case "ZRANGEBYSCORE", "ZREVRANGEBYSCORE", "ZRANGEBYLEX" -> !command.contains("LIMIT");
				case "ZRANGE", "ZREVRANGE", "LRANGE" -> command.get(3).startsWith("-");
				// The minutes of the last hour are as many for all queues.
				case "HGETALL", "HKEYS", "HVALS", "SMEMBERS" -> !command.get(1).contains(":stats");
				default -> false;
			};
		}

		@Override
		public void close() throws IOException {
			this.socket.close();
		}

	}

}
