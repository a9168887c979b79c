package io.redelay.queue.admin;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.function.Predicate;
import java.util.stream.Collectors;

import io.redelay.embedded.redis.RedisServer;
import io.redelay.queue.MessageState;
import io.redelay.queue.OutboundMessage;
import io.redelay.queue.QueueException;
import io.redelay.queue.message.DeclaredFilter;
import io.redelay.queue.message.Settlement;
import io.redelay.queue.request.ReplayMemory;
import io.redelay.queue.script.QueueScripts;
import io.redelay.queue.script.TestQueue;
import io.redelay.queue.script.admin.AdminScripts;
import io.redelay.queue.script.admin.DeleteScript;
import io.redelay.queue.wire.RedisAvailability;
import io.redelay.queue.wire.TestScripts;
import io.redelay.test.ListenerApplication;
import io.redelay.test.TestRedis;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;
import org.redisson.api.RScript;
import org.redisson.api.RedissonClient;
import org.redisson.client.codec.StringCodec;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

/**
 * Tests that a command of {@link QueueAdmin} which is refused, or finds nothing that it
 * may act on, changes nothing in Redis.
 */
class RefusedCommandsIntegrationTests {

	/**
	 * Those that change nothing anyway.
	 */
	private static final Set<String> LOOKS = Set.of("messages.find", "messages.browse", "messages.search",
			"messages.findByTag", "deadLetters.browse", "deadLetters.counts", "deadLetters.causes", "jobs.list",
			"jobs.find", "queues.names", "queues.calendar", "queues.info", "queues.infos", "queues.consumers",
			"queues.instances", "queues.diagnose", "queues.history", "queues.marks", "queues.histories",
			"queues.waitingKeys", "queues.now", "queues.deduplicationKeys", "queues.check", "queues.bundles",
			"queues.bundle", "topics.names", "topics.info", "handlers.running", "handlers.stack", "limits.of",
			"deadLetters.redriveStatus");

	private static final String QUEUE = "orders";

	private static final String WIDE = "wide";

	private static final String TOPIC = "news";

	private static final String NOWHERE = "nobodys";

	private static final ScheduledExecutorService timer = Executors.newSingleThreadScheduledExecutor();

	private static final List<Refused> refused = new ArrayList<>();

	private static RedisServer server;

	private static RedissonClient client;

	private static ListenerApplication application;

	private static QueueAdmin admin;

	private static AdminScripts store;

	@BeforeAll
	static void start() {
		server = RedisServer.start();
		client = TestRedis.connect(server.uri());
		application = ListenerApplication.on(client).with("redelay.queue.queues." + WIDE + ".partitions", 3).start();
		admin = application.bean(QueueAdmin.class);
		QueueScripts queues = TestScripts.create(client, "redelay", Duration.ofSeconds(10), timer, ReplayMemory.NONE);
		store = new AdminScripts(client, "redelay", Duration.ofSeconds(10), timer, ReplayMemory.NONE,
				new RedisAvailability(timer));
		fillQueue(queues);
		fillWide();
		fillTopics(queues);
		reportRefusals();
	}

	@AfterAll
	static void stop() {
		application.close();
		store.close();
		client.shutdown();
		server.close();
		timer.shutdownNow();
	}

	/**
	 * One message in each state, one dead whose id is another's by now, and one that
	 * expires.
	 */
	private static void fillQueue(QueueScripts queues) {
		TestQueue.Consumer consumer = new TestQueue(QUEUE, queues).consumer(Duration.ofHours(1));
		send(OutboundMessage.to(QUEUE, "dead").id("dead"), OutboundMessage.to(QUEUE, "displaced").id("displaced"));
		consumer.claim(0,
				consumer.claim(2)
					.messages()
					.stream()
					.map((message) -> Settlement.bury(message.uid(), message.claim(), "{}"))
					.toList());
		send(OutboundMessage.to(QUEUE, "held").id("held"));
		assertThat(consumer.claim(1).messages()).hasSize(1);
		send(OutboundMessage.to(QUEUE, "displacing").id("displaced"),
				OutboundMessage.to(QUEUE, "ready").id("ready").orderingKey("key").tag("tag"),
				OutboundMessage.to(QUEUE, "scheduled").id("scheduled").delay(Duration.ofHours(1)),
				OutboundMessage.to(QUEUE, "expiring").id("expiring").timeToLive(Duration.ofHours(1)),
				OutboundMessage.to(QUEUE, "limited").id("limited").deadline(Duration.ofHours(1)));
		admin.control().pause(QUEUE);
	}

	/**
	 * One message, in one of three partitions, which are paused and closed.
	 */
	private static void fillWide() {
		application.queues().send(WIDE, "x");
		admin.control().pause(WIDE);
		admin.control().close(WIDE);
	}

	/**
	 * Two groups, of which the last one has a consumer, of a topic that keeps nothing;
	 * and a topic whose group is closed.
	 */
	private static void fillTopics(QueueScripts queues) {
		for (String group : List.of("first", "last")) {
			TestQueue.get(store.topics().subscribe().run(TOPIC, group, Duration.ofHours(1), DeclaredFilter.NONE));
		}
		application.queues().publish(TOPIC, "x");
		new TestQueue(TOPIC + "@last", queues).consumer(Duration.ofHours(1));
	}

	private static void send(OutboundMessage... messages) {
		application.queues().sendAll(List.of(messages));
	}

	private static void reportRefusals() {
		Instant soon = Instant.now().plusSeconds(60);
		refuse("control.purge", () -> admin.control().purge(NOWHERE, MessageState.READY));
		refuse("control.purge", () -> admin.control().purge(QUEUE, MessageState.IN_FLIGHT));
		refuse("control.purge", () -> admin.control().purge(QUEUE, MessageState.COMPLETED));
		refuse("control.pause", () -> admin.control().pause(NOWHERE));
		refuse("control.resume", () -> admin.control().resume(NOWHERE));
		refuse("control.close", () -> admin.control().close(NOWHERE));
		refuse("control.reopen", () -> admin.control().reopen(NOWHERE));
		refuse("limits.change", () -> admin.limits().change(NOWHERE, LimitsChange.none().maxInFlight(1)));
		refuse("limits.change", () -> admin.limits().change(QUEUE, LimitsChange.none()));
		refuse("limits.change",
				() -> admin.limits().change(QUEUE, LimitsChange.none().clear(QueueLimit.MAX_IN_FLIGHT)));
		refuse("limits.change",
				() -> admin.limits().change(WIDE, LimitsChange.none().maxInFlight(1).orderingKeyMaxLength(1)));
		refuse("limits.clear", () -> admin.limits().clear(NOWHERE));
		refuse("limits.clear", () -> admin.limits().clear(QUEUE));
		refuse("control.freeDeduplicationKey", () -> admin.control().freeDeduplicationKey(NOWHERE, "key"));
		refuse("control.freeDeduplicationKey", () -> admin.control().freeDeduplicationKey(QUEUE, "key"));
		refuse("control.freeDeduplicationKey", () -> admin.control().freeDeduplicationKey(QUEUE, " "));
		refuse("control.drain", () -> admin.control().drain(NOWHERE, Duration.ofSeconds(1)));
		refuse("control.drain", () -> admin.control().drain(QUEUE, Duration.ofSeconds(-1)));
		refuse("control.delete", () -> admin.control().delete(NOWHERE));
		refuse("control.delete", () -> admin.control().delete(QUEUE));
		refuse("control.delete", () -> admin.control().delete(WIDE));
		refuse("control.delete", () -> admin.control().delete(TOPIC + "@first"));
		refuse("control.deleteWithMessages", () -> admin.control().deleteWithMessages(NOWHERE));
		refuse("control.deleteWithMessages", () -> admin.control().deleteWithMessages(TOPIC + "@first"));
		for (String queue : List.of(NOWHERE, QUEUE)) {
			refuse("messages.cancel", () -> admin.messages().cancel(queue, "unknown"));
			refuse("messages.cancelAll", () -> admin.messages().cancelAll(queue, List.of("unknown", " ")));
			refuse("messages.cancelAll", () -> admin.messages().cancelAll(queue, Arrays.asList("ready", null)));
			refuse("messages.cancelByTag", () -> admin.messages().cancelByTag(queue, "unknown"));
			refuse("messages.cancelByTag", () -> admin.messages().cancelByTag(queue, "\n"));
			refuse("deadLetters.redriveByTag", () -> admin.deadLetters().redriveByTag(queue, "unknown"));
			refuse("jobs.stop", () -> admin.jobs().stop("unknown"));
		}
		for (String id : List.of("unknown", "held", "dead")) {
			refuse("messages.reschedule", () -> admin.messages().reschedule(QUEUE, id, Duration.ofMinutes(1)));
			refuse("messages.rescheduleAt", () -> admin.messages().rescheduleAt(QUEUE, id, soon));
			refuse("messages.runNow", () -> admin.messages().runNow(QUEUE, id));
			refuse("messages.bury", () -> admin.messages().bury(QUEUE, id, "why"));
			refuse("messages.change", () -> admin.messages().change(QUEUE, id, MessageChange.none().failures(1)));
		}
		refuse("messages.reschedule", () -> admin.messages().reschedule(QUEUE, "scheduled", Duration.ofSeconds(-1)));
		refuse("messages.reschedule", () -> admin.messages().reschedule(QUEUE, "limited", Duration.ofHours(2)));
		refuse("messages.rescheduleAt",
				() -> admin.messages().rescheduleAt(QUEUE, "limited", soon.plus(Duration.ofHours(2))));
		refuse("messages.change", () -> admin.messages().change(QUEUE, "ready", MessageChange.none()));
		refuse("messages.change",
				() -> admin.messages().change(QUEUE, "ready", MessageChange.none().payload("\ud800")));
		refuse("messages.bury", () -> admin.messages().bury(QUEUE, "ready", " "));
		refuse("messages.delete", () -> admin.messages().delete(QUEUE, "unknown"));
		refuse("messages.delete", () -> admin.messages().delete(QUEUE, "held"));
		refuse("messages.delete", () -> admin.messages().delete(QUEUE, "ready", MessageState.DEAD));
		for (String id : List.of("unknown", "held", "ready", "displaced")) {
			refuse("deadLetters.redrive", () -> admin.deadLetters().redrive(QUEUE, id));
			refuse("deadLetters.redriveAt", () -> admin.deadLetters().redriveAt(QUEUE, id, Instant.now()));
			refuse("deadLetters.redriveRound", () -> admin.deadLetters().redriveRound(QUEUE, id));
		}
		refuse("deadLetters.redrive", () -> admin.deadLetters().redrive(NOWHERE, DeadLetterFilter.all()));
		refuse("deadLetters.redrive", () -> admin.deadLetters().redrive(QUEUE, DeadLetterFilter.all(), -1));
		refuse("jobs.start", () -> admin.jobs().start(NOWHERE, BulkRequest.of(BulkAction.CANCEL, MessageFilter.all())));
		refuse("jobs.start",
				() -> admin.jobs()
					.start(QUEUE, BulkRequest.of(BulkAction.CHANGE, MessageFilter.all())
						.change(MessageChange.none().payload("\ud800"))));
		refuse("topics.removeGroup", () -> admin.topics().removeGroup(TOPIC, "last"));
		refuse("topics.removeGroup", () -> admin.topics().removeGroup(TOPIC, "unknown"));
		refuse("topics.replay", () -> admin.topics().replay(TOPIC, "first", Instant.EPOCH));
		refuse("topics.replay", () -> admin.topics().replay(NOWHERE, "first", Instant.EPOCH));
		refuse("topics.delete", () -> admin.topics().delete(TOPIC));
		refuse("topics.delete", () -> admin.topics().delete(NOWHERE));
		refuse("handlers.interrupt", () -> admin.handlers().interrupt(QUEUE, "unknown", null));
		refuse("handlers.interrupt", () -> admin.handlers().interrupt(NOWHERE, "unknown", null));
	}

	private static void refuse(String name, Runnable command) {
		refused.add(new Refused(name, command));
	}

	@Test
	void eachCommandIsTried() {
		Set<String> commands = Arrays.stream(QueueAdmin.class.getMethods())
			.flatMap((theme) -> Arrays.stream(theme.getReturnType().getMethods())
				.map((method) -> theme.getName() + "." + method.getName()))
			.filter(Predicate.not(LOOKS::contains))
			.collect(Collectors.toCollection(TreeSet::new));
		Set<String> tried = refused.stream().map(Refused::name).collect(Collectors.toCollection(TreeSet::new));
		assertThat(tried).isEqualTo(commands);
	}

	@TestFactory
	List<DynamicTest> aRefusedCommandChangesNothing() {
		List<DynamicTest> tests = new ArrayList<>();
		for (int i = 0; i < refused.size(); i++) {
			Refused each = refused.get(i);
			tests.add(DynamicTest.dynamicTest(i + " " + each.name, () -> {
				Map<String, String> before = dump();
				Throwable refusal = catchThrowable(each.command::run);
				Map<String, String> after = dump();
				after.entrySet().removeIf((entry) -> before.remove(entry.getKey(), entry.getValue()));
				assertThat(after).as("what is new in Redis after %s", refusal).isEmpty();
				assertThat(before).as("what is gone from Redis after %s", refusal).isEmpty();
			}));
		}
		return tests;
	}

	/**
	 * The race that a look before the deletion leaves.
	 */
	@Test
	void aQueueThatIsSentToWhileItIsDeletedKeepsItsNames() {
		String queue = TestRedis.queue();
		application.queues().send(OutboundMessage.to(queue, "x").timeToLive(Duration.ofHours(1)));
		Map<String, String> before = dump();
		assertThat(TestQueue.get(new DeleteScript(store).run(queue, false))).isFalse();
		assertThat(dump()).isEqualTo(before);
		assertThat(catchThrowable(() -> admin.control().delete(queue))).isInstanceOf(QueueException.class)
			.hasMessageContaining(queue);
		assertThat(TestQueue.get(store.names().expiring())).contains(queue);
		admin.control().deleteWithMessages(queue);
		assertThat(TestQueue.get(store.names().expiring())).doesNotContain(queue);
	}

	/**
	 * All keys but those of lanes and of what instances announce.
	 */
	private static Map<String, String> dump() {
		List<String> reported = client.getScript(StringCodec.INSTANCE).eval(RScript.Mode.READ_WRITE, """
				local reported = {}
				for _, key in ipairs(redis.call('KEYS', '*')) do
				  local type, value = redis.call('TYPE', key).ok, nil
				  if type == 'hash' or type == 'set' then -- which are in no order
				    value = {}
				    local all = redis.call(type == 'hash' and 'HGETALL' or 'SMEMBERS', key)
				    for i = 1, #all, type == 'hash' and 2 or 1 do
				      value[#value + 1] = all[i] .. (type == 'hash' and '=' .. all[i + 1] or '')
				    end
				    table.sort(value)
				    value = table.concat(value, ' ')
				  else
				    value = redis.sha1hex(redis.call('DUMP', key))
				  end
				  reported[#reported + 1] = key
				  reported[#reported + 1] = value
				end
				return reported
				""", RScript.ReturnType.LIST, List.of());
		Map<String, String> dump = new TreeMap<>();
		for (int i = 0; i < reported.size(); i += 2) {
			String key = reported.get(i);
			if (!key.contains(":sent:") && !key.contains("instance") && !key.contains("declarer")
					&& !key.contains(":stats") && !key.endsWith(":marks")) {
				dump.put(key, reported.get(i + 1));
			}
		}
		return dump;
	}

	private record Refused(String name, Runnable command) {

	}

}
