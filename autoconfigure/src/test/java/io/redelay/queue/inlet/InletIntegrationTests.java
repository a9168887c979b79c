package io.redelay.queue.inlet;

import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.redelay.queue.DeathReason;
import io.redelay.queue.MessageState;
import io.redelay.queue.OutboundMessage;
import io.redelay.queue.QueueHeaders;
import io.redelay.queue.QueueListener;
import io.redelay.queue.SendInterceptor;
import io.redelay.queue.SendResult;
import io.redelay.queue.admin.QueueAdmin;
import io.redelay.queue.admin.QueueFinding;
import io.redelay.queue.admin.QueueMinute;
import io.redelay.queue.admin.QueuedMessage;
import io.redelay.queue.admin.UnknownQueueException;
import io.redelay.queue.event.MessageEvent;
import io.redelay.queue.listener.InletListener;
import io.redelay.queue.listener.QueueHandler;
import io.redelay.test.CapturedLog;
import io.redelay.test.ListenerApplication;
import io.redelay.test.TestRedis;
import io.redelay.test.Waiting;
import org.awaitility.core.ConditionFactory;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.redisson.api.RList;
import org.redisson.client.codec.ByteArrayCodec;
import org.redisson.client.codec.StringCodec;

import org.springframework.context.event.EventListener;
import org.springframework.messaging.handler.annotation.Header;
import org.springframework.messaging.handler.annotation.Headers;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatException;

/**
 * Entries that others push into the inlet of a queue.
 */
@ExtendWith(CapturedLog.Extension.class)
class InletIntegrationTests {

	/**
	 * Entries that cannot be sent, and what is said of each.
	 */
	private static final String WRONG = """
			not JSON                                                | is no JSON
			{"payload": 1} x                                        | is no JSON
			[1]                                                     | must be a JSON object
			{}                                                      | 'payload' is missing
			{"payload": null}                                       | 'payload' is missing
			{"payload": 1, "payload": 2}                            | Duplicate
			{"payload": {"a": 1, "a": 2}}                           | Duplicate
			{"payload": 1, "dealy": 5}                              | not known: [dealy]
			{"payload": 1, "id": 7}                                 | 'id' must be a string
			{"payload": 1, "id": " "}                               | 'id' must have 1 to 256 characters
			{"payload": 1, "delay": "5m"}                           | 'delay' must be a whole number of milliseconds
			{"payload": 1, "delay": 1.5}                            | 'delay' must be a whole number of milliseconds
			{"payload": 1, "delay": -1}                             | 'delay' must be 0 to 3650 days
			{"payload": 1, "delay": "P4000D"}                       | 'delay' must be 0 to 3650 days
			{"payload": 1, "at": "tomorrow"}                        | 'at' must be a whole number of milliseconds since
			{"payload": 1, "at": 9999999999999999}                  | 'dueAt' must be after 1970
			{"payload": 1, "at": 9999999999999999999999}            | 'at' must be a whole number
			{"payload": 1, "at": 4070908800000, "delay": 1}         | must not both be given
			{"payload": 1, "headers": []}                           | 'headers' must be an object
			{"payload": 1, "headers": {"a": null}}                  | 'headers' has a null: 'a'
			{"payload": 1, "headers": {"a": {}}}                    | must be a string, a number or a boolean
			{"payload": 1, "headers": {"redelay_id": "x"}}          | 'name' of a header must not be blank
			{"payload": 1, "type": ""}                              | payloadType
			{"payload": 1, "priority": 10}                          | 'priority'
			{"payload": 1, "priority": "9"}                         | 'priority' must be a whole number
			{"payload": 1, "tags": "a"}                             | 'tags' must be an array of strings
			{"payload": 1, "tags": [1]}                             | 'tags' must be an array of strings
			{"payload": 1, "orderingKey": ""}                       | orderingKey
			""";

	@RegisterExtension
	static final TestRedis redis = TestRedis.shared();

	private final String queue = TestRedis.queue();

	private final List<ListenerApplication> applications = new CopyOnWriteArrayList<>();

	@AfterEach
	void close() {
		this.applications.forEach(ListenerApplication::close);
	}

	/**
	 * A queue is unknown before something was sent to it.
	 */
	private static ConditionFactory await() {
		return Waiting.await().ignoreExceptionsInstanceOf(UnknownQueueException.class);
	}

	private ListenerApplication.Builder application() {
		return ListenerApplication.on(redis)
			.with("test.queue", this.queue)
			.with("redelay.queue.queues." + this.queue + ".inlet.enabled", true)
			.with("redelay.queue.inlet.poll-interval", "50ms");
	}

	private ListenerApplication start(ListenerApplication.Builder builder) {
		ListenerApplication application = builder.start();
		this.applications.add(application);
		return application;
	}

	private RList<String> inlet() {
		return redis.client().getList("redelay:inlet:{" + this.queue + "}", StringCodec.INSTANCE);
	}

	private void push(String... entries) {
		inlet().addAll(List.of(entries));
	}

	private QueuedMessage dead(ListenerApplication application) {
		QueueAdmin admin = application.bean(QueueAdmin.class);
		await().until(() -> admin.queues().info(this.queue).dead() == 1);
		return admin.messages().browse(this.queue, MessageState.DEAD, 0, 10).messages().get(0);
	}

	@Test
	void aListenerHandlesAPushedMessageAsIfItHadBeenSent() {
		Orders orders = new Orders();
		start(application().bean(orders));
		push("""
				{"payload": {"number": "7", "amount": 12.50}, "id": "order-7", "headers": {"tenant": "north", "level": 3,
				"vip": true}}""");
		await().until(() -> orders.handled.size() == 1);
		assertThat(orders.handled).containsExactly(new Order("7", "12.50"));
		assertThat(orders.headers.get(0)).containsEntry("tenant", "north").containsEntry("vip", true);
		assertThat(((Number) Objects.requireNonNull(orders.headers.get(0).get("level"))).intValue()).isEqualTo(3);
		assertThat(orders.headers.get(0)).containsEntry(QueueHeaders.ID, "order-7");
		assertThat(inlet().isExists()).isFalse();
	}

	@Test
	void whatIsStoredIsWhatASenderOfTheSameWouldHaveStored() {
		ListenerApplication application = start(application());
		QueueAdmin admin = application.bean(QueueAdmin.class);
		application.queues()
			.send(OutboundMessage.to(this.queue, Map.of("number", "7"))
				.id("sent")
				.delay(Duration.ofHours(1))
				.header("tenant", "north")
				.payloadType("order")
				.priority(7)
				.orderingKey("o")
				.fairnessKey("f")
				.tags(List.of("a", "b")));
		push("""
				{"payload": {"number": "7"}, "id": "pushed", "delay": "PT1H", "headers": {"tenant": "north"}, "type": "order",
				"priority": 7, "orderingKey": "o", "fairnessKey": "f", "tags": ["a", "b"]}""");
		await().until(() -> admin.messages().find(this.queue, "pushed").isPresent());
		QueuedMessage sent = admin.messages().find(this.queue, "sent").orElseThrow();
		QueuedMessage pushed = admin.messages().find(this.queue, "pushed").orElseThrow();
		assertThat(pushed).usingRecursiveComparison()
			.ignoringFields("id", "uid", "sentAt", "dueAt", "due", "since", "payload")
			.isEqualTo(sent);
		assertThat(pushed.state()).isEqualTo(MessageState.SCHEDULED);
		assertThat(pushed.payloadAsText()).isEqualTo(sent.payloadAsText());
	}

	@ParameterizedTest
	@CsvSource(delimiter = '|', textBlock = """
			"delay": 3600000              | 3600
			"delay": "PT1H"               | 3600
			"delay": null                 | 0
			"delay": 0                    | 0
			""")
	void anEntryIsDueAfterItsDelay(String field, long seconds) {
		ListenerApplication application = start(application());
		QueueAdmin admin = application.bean(QueueAdmin.class);
		Instant before = Instant.now();
		push("{\"payload\": 1, \"id\": \"a\", " + field + "}");
		await().until(() -> admin.messages().find(this.queue, "a").isPresent());
		Instant nextDue = admin.queues().info(this.queue).nextDue();
		if (seconds == 0) {
			assertThat(admin.queues().info(this.queue).ready()).isOne();
			return;
		}
		assertThat(nextDue).isBetween(before.plusSeconds(seconds).minusSeconds(5),
				Instant.now().plusSeconds(seconds + 5));
	}

	@ParameterizedTest
	@CsvSource(delimiter = '|', textBlock = """
			4070908800000
			"2099-01-01T00:00:00Z"
			"2099-01-01T00:00:00.000Z"
			""")
	void anEntryIsDueAtItsTime(String at) {
		ListenerApplication application = start(application());
		QueueAdmin admin = application.bean(QueueAdmin.class);
		push("{\"payload\": 1, \"at\": " + at + "}");
		await().until(() -> admin.queues().info(this.queue).scheduled() == 1);
		assertThat(admin.queues().info(this.queue).nextDue()).isEqualTo(Instant.parse("2099-01-01T00:00:00Z"));
	}

	@Test
	void theHandlerOfItsPayloadTypeHandlesAnEntry() {
		Typed typed = new Typed();
		start(application().bean(typed));
		push("{\"payload\": {\"number\": \"1\"}, \"type\": \"placed\"}", "{\"payload\": {\"number\": \"2\"}}",
				"{\"payload\": \"text\"}");
		await().until(() -> typed.handled.size() == 3);
		assertThat(typed.handled).containsExactlyInAnyOrder("placed 1", "other {\"number\":\"2\"}", "other text");
	}

	@Test
	void whatIsWrongIsDeadWithItsReasonAndWhatComesBehindItIsNot() {
		Orders orders = new Orders();
		ListenerApplication application = start(application().bean(orders));
		Map<String, String> reasons = WRONG.lines()
			.map((line) -> line.split(" +\\| "))
			.collect(Collectors.toMap((row) -> row[0], (row) -> row[1]));
		reasons.keySet().forEach((entry) -> push(entry, "{\"payload\": {\"number\": \"behind\"}}"));
		QueueAdmin admin = application.bean(QueueAdmin.class);
		await().until(() -> admin.queues().info(this.queue).dead() == reasons.size());
		List<QueuedMessage> dead = admin.messages().browse(this.queue, MessageState.DEAD, 0, 100).messages();
		reasons.forEach((entry, reason) -> {
			Stream<QueuedMessage> found = dead.stream().filter((message) -> message.payloadAsText().contains(entry));
			assertThat(found).as(entry).anySatisfy((message) -> {
				assertThat(message.death()).isNotNull();
				assertThat(message.death().reason()).isEqualTo(DeathReason.REFUSED);
				assertThat(message.death().message()).startsWith("The entry of the inlet cannot be sent: ")
					.contains(reason);
			});
		});
		await().until(() -> orders.handled.size() == reasons.size());
		assertThat(inlet().isExists()).isFalse();
	}

	@Test
	void whatIsTooLargeIsDeadWithItsBeginning() {
		ListenerApplication application = start(application());
		byte[] large = new byte[50 * 1024 * 1024];
		Arrays.fill(large, (byte) 'x');
		redis.client().getList(inlet().getName(), ByteArrayCodec.INSTANCE).add(large);
		QueuedMessage dead = dead(application);
		assertThat(dead.death().message()).contains("it has 52428800 bytes, and the limit is 1048576")
			.contains("Its first 65536 bytes are kept");
		assertThat(application.bean(QueueAdmin.class).queues().info(this.queue).deadBytes()).isBetween(65_536L,
				70_000L);
		assertThat(inlet().isExists()).isFalse();
	}

	@Test
	void whatIsNoTextIsDeadAsItIs() {
		ListenerApplication application = start(application());
		redis.client()
			.getList(inlet().getName(), ByteArrayCodec.INSTANCE)
			.add(new byte[] { '{', (byte) 0xff, 0, (byte) 0xc3, '}' });
		assertThat(dead(application).death().message()).contains("it is not UTF-8");
		assertThat(inlet().isExists()).isFalse();
	}

	@Test
	void aKeyThatIsNoListStopsOnlyItsOwnInletAndIsLogged(CapturedLog log) {
		String other = TestRedis.queue();
		ListenerApplication application = start(
				application().with("redelay.queue.queues." + other + ".inlet.enabled", true));
		redis.client().getBucket(inlet().getName(), StringCodec.INSTANCE).set("x");
		redis.client().getList("redelay:inlet:{" + other + "}", StringCodec.INSTANCE).add("{\"payload\": 1}");
		QueueAdmin admin = application.bean(QueueAdmin.class);
		await().until(() -> admin.queues().names().contains(other) && admin.queues().info(other).ready() == 1);
		await()
			.until(() -> log.entriesWith("Nothing is taken over from the inlet '" + inlet().getName() + "'", "no list")
				.count() > 0);
		assertThat(redis.client().getBucket(inlet().getName(), StringCodec.INSTANCE).get()).isEqualTo("x");
		redis.client().getKeys().delete(inlet().getName());
		push("{\"payload\": 1}");
		await()
			.until(() -> admin.queues().names().contains(this.queue) && admin.queues().info(this.queue).ready() == 1);
	}

	@Test
	void anIdOfALivingMessageIsADuplicate() {
		ListenerApplication application = start(application());
		application.queues().send(OutboundMessage.to(this.queue, "first").id("a").delay(Duration.ofHours(1)));
		push("{\"payload\": 2, \"id\": \"a\"}", "{\"payload\": 3, \"id\": \"b\"}", "{\"payload\": 4, \"id\": \"b\"}");
		QueueAdmin admin = application.bean(QueueAdmin.class);
		await().until(() -> admin.messages().find(this.queue, "b").isPresent() && !inlet().isExists());
		assertThat(admin.queues().info(this.queue).ready()).isOne();
		assertThat(admin.queues().info(this.queue).scheduled()).isOne();
		assertThat(admin.queues().info(this.queue).dead()).isZero();
	}

	@Test
	void thePropertiesOfTheQueueHoldForEntriesToo() {
		ListenerApplication application = start(
				application().with("redelay.queue.queues." + this.queue + ".delay", "1h")
					.with("redelay.queue.queues." + this.queue + ".ordering-key", "#{payload.customer}")
					.with("redelay.queue.queues." + this.queue + ".deduplication.mode", "first-wins")
					.with("redelay.queue.queues." + this.queue + ".deduplication.key", "#{payload.customer}")
					.with("redelay.queue.queues." + this.queue + ".deduplication.window", "1h"));
		push("{\"payload\": {\"customer\": \"c\"}}", "{\"payload\": {\"customer\": \"c\"}}",
				"{\"payload\": {\"customer\": \"d\"}}");
		QueueAdmin admin = application.bean(QueueAdmin.class);
		await().until(() -> !inlet().isExists());
		await().until(
				() -> admin.queues().names().contains(this.queue) && admin.queues().info(this.queue).scheduled() == 2);
	}

	@Test
	void entriesStayWhileTheQueueIsClosedAndAreTakenWhenItIsOpen(CapturedLog log) {
		ListenerApplication application = start(application());
		QueueAdmin admin = application.bean(QueueAdmin.class);
		application.queues().send(this.queue, "first");
		admin.control().close(this.queue);
		push("{\"payload\": 1}", "wrong");
		await().until(() -> log.entriesWith("inlet '" + inlet().getName() + "'", "is closed").count() > 0);
		assertThat(inlet().size()).isEqualTo(2);
		assertThat(admin.queues().info(this.queue).inlet()).isEqualTo(2);
		admin.control().reopen(this.queue);
		await()
			.until(() -> admin.queues().info(this.queue).ready() == 2 && admin.queues().info(this.queue).dead() == 1);
		assertThat(admin.queues().info(this.queue).inlet()).isZero();
	}

	@Test
	void entriesThatTheQueueHasNoRoomForStayUntilThereIsSome() {
		Blocked blocked = new Blocked();
		ListenerApplication application = start(
				application().bean(blocked).with("redelay.queue.queues." + this.queue + ".max-length", 3));
		push(IntStream.range(0, 20).mapToObj((i) -> "{\"payload\": " + i + "}").toArray(String[]::new));
		QueueAdmin admin = application.bean(QueueAdmin.class);
		await().until(() -> inlet().size() == 17);
		assertThat(admin.queues().info(this.queue).ready() + admin.queues().info(this.queue).inFlight()).isEqualTo(3);
		blocked.open = true;
		await().until(() -> blocked.handled.size() == 20);
		assertThat(blocked.handled)
			.containsExactlyInAnyOrderElementsOf(IntStream.range(0, 20).mapToObj(Integer::toString).toList());
		assertThat(admin.queues().info(this.queue).dead()).isZero();
	}

	@Test
	void twoInstancesTakeEachEntryOnce() {
		Counting one = new Counting();
		Counting two = new Counting();
		for (Counting each : List.of(one, two)) {
			start(application().bean("listening", each)
				.bean("interceptor", new SlowInterceptor())
				.with("redelay.queue.inlet.poll-interval", "10ms"));
		}
		// Each text is there twice, and all are as long.
		push(IntStream.range(0, 3000)
			.mapToObj((i) -> "{\"payload\": \"%04d\"}".formatted(i / 2))
			.toArray(String[]::new));
		await().until(() -> one.count() + two.count() >= 3000 && !inlet().isExists());
		QueueAdmin admin = this.applications.get(0).bean(QueueAdmin.class);
		await().until(() -> admin.queues().info(this.queue).inFlight() == 0);
		Map<String, Integer> handled = new TreeMap<>();
		Stream.of(one, two)
			.flatMap((each) -> each.handled.stream())
			.forEach((payload) -> handled.merge(payload, 1, Integer::sum));
		assertThat(handled).hasSize(1500).allSatisfy((payload, count) -> assertThat(count).as(payload).isEqualTo(2));
	}

	@Test
	void interceptorsSeeEntriesAndMayRefuseThem() {
		List<String> seen = new CopyOnWriteArrayList<>();
		SendInterceptor interceptor = new SendInterceptor() {

			@Override
			public OutboundMessage beforeSend(OutboundMessage message) {
				if ("bad".equals(message.payload())) {
					throw new IllegalStateException("thrown by a test");
				}
				return message.header("seen", true);
			}

			@Override
			public void afterSend(OutboundMessage message, SendResult result, Throwable failure) {
				seen.add(message.payload() + " " + ((failure != null) ? failure.getMessage() : result.id()));
			}

		};
		Orders orders = new Orders();
		ListenerApplication application = start(application().bean("interceptor", interceptor).bean(orders));
		push("{\"payload\": \"bad\", \"id\": \"1\"}", "{\"payload\": {\"number\": \"good\"}, \"id\": \"2\"}");
		assertThat(dead(application).death().message()).contains("thrown by a test");
		await().until(() -> orders.handled.size() == 1);
		assertThat(orders.headers.get(0)).containsEntry("seen", true);
		await().until(() -> seen.contains("{number=good} 2"));
	}

	@Test
	void listenersAndMetersCountWhatWasTakenAndRefused(CapturedLog log) {
		SimpleMeterRegistry registry = new SimpleMeterRegistry();
		Reported reported = new Reported();
		start(application().bean("meterRegistry", registry).bean("told", reported));
		push("{\"payload\": 1}", "wrong", "{\"payload\": 2}");
		await().until(() -> reported.taken.size() == 1 && reported.refused.size() == 1);
		assertThat(reported.taken).containsExactly(this.queue + " 2");
		assertThat(reported.refused.get(0)).startsWith(this.queue + " it is no JSON");
		await().untilAsserted(() -> {
			assertThat(registry.get("redelay.queue.inlet").tag("outcome", "taken").counter().count()).isEqualTo(2);
			assertThat(registry.get("redelay.queue.inlet").tag("outcome", "refused").counter().count()).isEqualTo(1);
		});
		assertThat(log.entriesWith("inlet '" + inlet().getName() + "' could not be sent", "REFUSED")).hasSize(1);
	}

	@Test
	void eventsReportWhatBecameOfEntries() {
		Events events = new Events();
		start(application().bean(events));
		push("{\"payload\": 1, \"id\": \"a\"}", "wrong");
		await().until(() -> events.all.size() == 2);
		MessageEvent sent = events.all.stream()
			.filter((event) -> event.type() == MessageEvent.Type.SENT)
			.findFirst()
			.orElseThrow();
		assertThat(sent.id()).isEqualTo("a");
		MessageEvent dead = events.all.stream()
			.filter((event) -> event.type() == MessageEvent.Type.DEAD)
			.findFirst()
			.orElseThrow();
		assertThat(dead.reason()).isEqualTo(DeathReason.REFUSED);
		assertThat(dead.cause()).contains("it is no JSON");
	}

	@Test
	void theHistoryCountsEntriesAsSentAndDead() {
		ListenerApplication application = start(application());
		push("{\"payload\": 1}", "wrong", "{\"payload\": 2}");
		QueueAdmin admin = application.bean(QueueAdmin.class);
		await().atMost(Duration.ofMinutes(1))
			.until(() -> admin.queues().history(this.queue).minutes().stream().mapToLong(QueueMinute::sent).sum() == 2
					&& admin.queues().history(this.queue).minutes().stream().mapToLong(QueueMinute::dead).sum() == 1);
	}

	@Test
	void theDiagnosisReportsWhetherAnInstanceTakesOver() {
		ListenerApplication idle = start(ListenerApplication.on(redis).with("test.queue", this.queue));
		QueueAdmin admin = idle.bean(QueueAdmin.class);
		idle.queues().send(OutboundMessage.to(this.queue, "x").delay(Duration.ofHours(1)));
		push("{\"payload\": 1}", "{\"payload\": 2}");
		QueueFinding finding = finding(admin);
		assertThat(finding.severity()).isEqualTo(QueueFinding.Severity.WARNING);
		assertThat(finding.headline()).isEqualTo("2 entries wait in the inlet, and no instance takes them");
		admin.control().close(this.queue);
		ListenerApplication taker = start(application());
		await().until(() -> admin.queues().instances().stream().anyMatch((each) -> each.inlets().contains(this.queue)));
		assertThat(finding(admin).headline()).isEqualTo("2 entries wait in the inlet, and the queue is closed");
		admin.control().reopen(this.queue);
		await().until(() -> admin.queues()
			.diagnose(this.queue)
			.findings()
			.stream()
			.noneMatch((each) -> each.kind() == QueueFinding.Kind.INLET));
		assertThat(taker.bean(QueueAdmin.class).queues().info(this.queue).ready()).isEqualTo(2);
	}

	private QueueFinding finding(QueueAdmin admin) {
		return admin.queues()
			.diagnose(this.queue)
			.findings()
			.stream()
			.filter((each) -> each.kind() == QueueFinding.Kind.INLET)
			.findFirst()
			.orElseThrow();
	}

	@Test
	void deadEntriesAreKeptWithinTheBoundsOfTheQueueThoughNothingListensAlsoAfterAStop() {
		ListenerApplication application = start(
				application().with("redelay.queue.queues." + this.queue + ".dead-letters.max-count", 5)
					.with("redelay.queue.safety-poll-interval", "100ms"));
		push(IntStream.range(0, 50).mapToObj((i) -> "wrong " + i).toArray(String[]::new));
		QueueAdmin admin = application.bean(QueueAdmin.class);
		await().until(() -> !inlet().isExists() && admin.queues().info(this.queue).dead() == 5);
		assertThat(admin.messages().browse(this.queue, MessageState.DEAD, 0, 10).messages()).hasSize(5)
			.allMatch((message) -> message.payloadAsText().contains("wrong "));
		InletTakeover takeover = application.bean(InletTakeover.class);
		takeover.stop();
		takeover.start();
		push(IntStream.range(0, 50).mapToObj((i) -> "false " + i).toArray(String[]::new));
		await().until(() -> !inlet().isExists() && admin.queues().info(this.queue).dead() == 5);
	}

	@Test
	void aContextThatStopsTakesNothingAnyMoreAndGoesOnWhenItStartsAgain() {
		ListenerApplication application = start(application());
		QueueAdmin admin = application.bean(QueueAdmin.class);
		InletTakeover takeover = application.bean(InletTakeover.class);
		takeover.stop();
		push("{\"payload\": 1}");
		ListenerApplication other = start(
				application().with("redelay.queue.queues." + this.queue + ".inlet.enabled", false));
		String behind = TestRedis.queue();
		redis.client().getList("redelay:inlet:{" + behind + "}", StringCodec.INSTANCE).add("{\"payload\": 1}");
		ListenerApplication third = start(ListenerApplication.on(redis)
			.with("redelay.queue.queues." + behind + ".inlet.enabled", true)
			.with("redelay.queue.inlet.poll-interval", "50ms"));
		await().until(() -> third.bean(QueueAdmin.class).queues().names().contains(behind));
		assertThat(inlet().size()).isOne();
		assertThat(other.bean(InletTakeover.class).isRunning()).isTrue();
		takeover.start();
		await()
			.until(() -> admin.queues().names().contains(this.queue) && admin.queues().info(this.queue).ready() == 1);
	}

	/**
	 * Has an instance take its time, so that others read the same entries meanwhile.
	 */
	static class SlowInterceptor implements SendInterceptor {

		@Override
		public OutboundMessage beforeSend(OutboundMessage message) {
			LockSupport.parkNanos(100_000);
			return message;
		}

	}

	@ParameterizedTest
	@CsvSource(delimiter = '|', quoteCharacter = '`',
			textBlock = """
					redelay.queue.queues.orders.inlet.enabled=true;redelay.queue.queues.orders.partitions=2 | 'redelay.queue.queues.<name>.inlet.enabled' must not be set for a queue of 2 partitions
					redelay.queue.queues[orders@billing].inlet.enabled=true | 'redelay.queue.queues[orders@billing].inlet.enabled' must not be set
					redelay.queue.inlet.poll-interval=9ms | 'redelay.queue.inlet.poll-interval' must be at least 10ms
					""")
	void whatCannotWorkIsRefusedAtStartup(String properties, String message) {
		ListenerApplication.Builder builder = ListenerApplication.on(redis);
		for (String property : properties.split(";")) {
			builder.with(property.split("=")[0], property.split("=")[1]);
		}
		assertThatException().isThrownBy(builder::start).havingRootCause().withMessageContaining(message);
	}

	record Order(String number, String amount) {

	}

	static class Orders {

		final List<Order> handled = new CopyOnWriteArrayList<>();

		final List<Map<String, Object>> headers = new CopyOnWriteArrayList<>();

		@QueueListener(queues = "${test.queue}")
		void handle(Order order, @Headers Map<String, Object> headers) {
			this.headers.add(Map.copyOf(headers));
			this.handled.add(order);
		}

	}

	@QueueListener(queues = "${test.queue}")
	static class Typed {

		final List<String> handled = new CopyOnWriteArrayList<>();

		@QueueHandler("placed")
		void placed(Order order) {
			this.handled.add("placed " + order.number());
		}

		@QueueHandler(isDefault = true)
		void other(String text) {
			this.handled.add("other " + text);
		}

	}

	static class Counting {

		private final List<String> handled = new CopyOnWriteArrayList<>();

		@QueueListener(queues = "${test.queue}", concurrency = "4")
		void handle(String text) {
			this.handled.add(text);
		}

		long count() {
			return this.handled.size();
		}

	}

	static class Blocked {

		final List<String> handled = new CopyOnWriteArrayList<>();

		volatile boolean open;

		@QueueListener(queues = "${test.queue}")
		void handle(String text, @Header(QueueHeaders.UID) String uid) {
			await().until(() -> this.open);
			this.handled.add(text);
		}

	}

	static class Events {

		final List<MessageEvent> all = new CopyOnWriteArrayList<>();

		@EventListener
		void on(MessageEvent event) {
			this.all.add(event);
		}

	}

	static class Reported implements InletListener {

		final List<String> taken = new CopyOnWriteArrayList<>();

		final List<String> refused = new CopyOnWriteArrayList<>();

		@Override
		public void onTaken(String queue, int count) {
			this.taken.add(queue + " " + count);
			throw new IllegalStateException("thrown by a test");
		}

		@Override
		public void onRefused(String queue, String uid, String reason) {
			this.refused.add(queue + " " + reason);
		}

	}

}
