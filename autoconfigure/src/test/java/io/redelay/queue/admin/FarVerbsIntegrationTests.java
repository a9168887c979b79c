package io.redelay.queue.admin;

import java.lang.reflect.Method;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import io.redelay.queue.MessageState;
import io.redelay.queue.OutboundMessage;
import io.redelay.queue.QueueOperations;
import io.redelay.queue.SendResult;
import io.redelay.queue.message.PackedMessages;
import io.redelay.queue.script.admin.AdminScripts;
import io.redelay.queue.script.admin.FarScript;
import io.redelay.test.ListenerApplication;
import io.redelay.test.TestRedis;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Each public operation on a queue whose messages are packed, beside the same one on a
 * queue with the same messages where none is: both give the same, and leave the same.
 */
class FarVerbsIntegrationTests {

	private static final int MESSAGES = 30;

	@RegisterExtension
	static final TestRedis redis = TestRedis.shared();

	private static ListenerApplication application;

	private static QueueAdmin admin;

	private static AdminScripts store;

	private static final Instant due = Instant.now().plus(Duration.ofDays(20)).truncatedTo(ChronoUnit.HOURS);

	private static final Map<String, Function<String, Object>> VERBS = new LinkedHashMap<>();

	static {
		verb("MessageAdmin.find",
				(queue) -> List.of(admin.messages().find(queue, "m7"),
						admin.messages().find(queue, admin.messages().find(queue, "m8").orElseThrow().uid()),
						admin.messages().find(queue, "none")));
		verb("MessageAdmin.browse",
				(queue) -> List.of(admin.messages().browse(queue, MessageState.SCHEDULED, 0, 500),
						admin.messages().browse(queue, MessageState.SCHEDULED, 1, 7),
						admin.messages().browse(queue, MessageState.SCHEDULED, 4, 7),
						admin.messages().browse(queue, MessageState.SCHEDULED, 5, 7),
						admin.messages().browse(queue, MessageState.READY, 0, 500)));
		verb("MessageAdmin.search",
				(queue) -> Stream
					.of(MessageFilter.all(), MessageFilter.all().header("half", "1"), MessageFilter.all().tag("t1"),
							MessageFilter.all().id("m9"), MessageFilter.all().dueBefore(due.plusSeconds(9)),
							MessageFilter.all().states(MessageState.SCHEDULED).dueAfter(due.plusSeconds(21)),
							MessageFilter.all().states(MessageState.READY))
					.map((filter) -> admin.messages()
						.search(queue, filter, null, 500)
						.messages()
						.stream()
						.map(QueuedMessage::id)
						.sorted()
						.toList())
					.toList());
		verb("MessageAdmin.findByTag",
				(queue) -> admin.messages()
					.findByTag(queue, "t1", null, 100)
					.messages()
					.stream()
					.map(FarVerbsIntegrationTests::text)
					.sorted()
					.toList());
		verb("MessageAdmin.cancel", (queue) -> List.of(admin.messages().cancel(queue, "m3"),
				admin.messages().cancel(queue, "m3"), admin.messages().cancel(queue, "none")));
		verb("MessageAdmin.cancelAll", (queue) -> admin.messages().cancelAll(queue, List.of("m1", "none", "m2", "m1")));
		verb("MessageAdmin.cancelByTag", (queue) -> admin.messages().cancelByTag(queue, "t1"));
		verb("MessageAdmin.reschedule",
				(queue) -> admin.messages().reschedule(queue, "m3", Duration.ofDays(50)).done());
		verb("MessageAdmin.rescheduleAt",
				(queue) -> List.of(admin.messages().rescheduleAt(queue, "m3", due.plus(Duration.ofDays(3))),
						admin.messages().rescheduleAt(queue, "m4", due.minus(Duration.ofDays(3))),
						admin.messages().rescheduleAt(queue, "m29", due.plus(Duration.ofDays(100)))));
		verb("MessageAdmin.runNow",
				(queue) -> List.of(admin.messages().runNow(queue, "m3"), admin.messages().runNow(queue, "m3")));
		verb("MessageAdmin.bury", (queue) -> List.of(admin.messages().bury(queue, "m3", "why"),
				admin.messages().bury(queue, "m3", "why")));
		verb("MessageAdmin.change",
				(queue) -> List.of(
						admin.messages().change(queue, "m3", MessageChange.none().payload("other").priority(7)),
						admin.messages().change(queue, "m4", MessageChange.none().failures(2)),
						admin.messages().change(queue, "m5", MessageChange.none().attempts(9)),
						admin.messages().change(queue, "none", MessageChange.none().payload("other"))));
		verb("MessageAdmin.delete",
				(queue) -> List.of(admin.messages().delete(queue, "m3"),
						admin.messages().delete(queue, "m4", MessageState.SCHEDULED),
						admin.messages().delete(queue, "m5", MessageState.READY)));
		verb("QueueControl.purge", (queue) -> List.of(admin.control().purge(queue, MessageState.READY),
				admin.control().purge(queue, MessageState.DEAD), admin.control().purge(queue, MessageState.SCHEDULED)));
		verb("QueueControl.pause", (queue) -> {
			admin.control().pause(queue);
			return admin.queues().info(queue).paused();
		});
		verb("QueueControl.resume", (queue) -> {
			admin.control().pause(queue);
			admin.control().resume(queue);
			return admin.messages().cancel(queue, "m1");
		});
		verb("QueueControl.close", (queue) -> {
			admin.control().close(queue);
			return failure(() -> application.queues().send(queue, "more"));
		});
		verb("QueueControl.reopen", (queue) -> {
			admin.control().close(queue);
			admin.control().reopen(queue);
			return application.queues().send(OutboundMessage.to(queue, "more").id("m3")).duplicate();
		});
		verb("QueueControl.drain", (queue) -> admin.control().drain(queue, Duration.ofMillis(1)));
		verb("QueueControl.freeDeduplicationKey", (queue) -> admin.control().freeDeduplicationKey(queue, "key"));
		verb("QueueControl.delete", (queue) -> failure(() -> admin.control().delete(queue)));
		verb("QueueControl.deleteWithMessages", (queue) -> {
			admin.control().deleteWithMessages(queue);
			application.queues().send(OutboundMessage.to(queue, "anew").id("m3").delay(Duration.ofDays(30)));
			return List.of();
		});
		verb("QueueInspector.now", (queue) -> admin.queues().now().isBefore(due));
		verb("QueueInspector.names", (queue) -> admin.queues().names().contains(queue));
		verb("QueueInspector.info", (queue) -> admin.queues().info(queue));
		verb("QueueInspector.infos", (queue) -> admin.queues().infos().get(queue));
		verb("QueueInspector.consumers", (queue) -> admin.queues().consumers(queue));
		verb("QueueInspector.instances", (queue) -> admin.queues().instances().isEmpty());
		verb("QueueInspector.diagnose", (queue) -> {
			QueueDiagnosis diagnosis = admin.queues().diagnose(queue);
			return List.of(diagnosis.status(), diagnosis.behind(), diagnosis.summary(),
					diagnosis.findings().stream().map(QueueFinding::kind).toList());
		});
		verb("QueueInspector.history", (queue) -> {
			List<QueueMinute> minutes = new ArrayList<>(admin.queues().history(queue).minutes());
			minutes.addAll(admin.queues().history(queue, LongHistory.Span.DAY).steps());
			return ready(minutes);
		});
		verb("QueueInspector.histories",
				(queue) -> admin.queues()
					.histories(List.of(queue))
					.values()
					.stream()
					.map((each) -> ready(each.minutes()))
					.toList());
		verb("QueueInspector.marks", (queue) -> admin.queues().marks(queue).size());
		verb("QueueInspector.calendar", (queue) -> Arrays.stream(QueueCalendar.Span.values()).map((span) -> {
			QueueCalendar calendar = admin.queues().calendar(queue, span, ZoneOffset.UTC);
			return calendar.bars().stream().map(QueueCalendar.Bar::due).toList() + " later " + calendar.later();
		}).toList());
		verb("QueueInspector.waitingKeys", (queue) -> admin.queues().waitingKeys(queue));
		verb("QueueInspector.deduplicationKeys", (queue) -> admin.queues().deduplicationKeys(queue, "key"));
		verb("QueueInspector.check", (queue) -> {
			QueueCheck check = admin.queues().check(queue);
			return List.of(check.sound(), check.problems());
		});
		verb("QueueInspector.bundles", (queue) -> admin.queues().bundles(queue));
		verb("QueueInspector.bundle", (queue) -> admin.queues().bundle(queue, "none"));
		verb("DeadLetterAdmin.redrive", (queue) -> {
			// Another message has its id meanwhile, and is packed with the others.
			admin.messages().bury(queue, "m3", "why");
			application.queues().send(OutboundMessage.to(queue, "text 3").id("m3").dueAt(due));
			pack(queue);
			String uid = admin.messages().browse(queue, MessageState.DEAD, 0, 1).messages().get(0).uid();
			return failure(() -> admin.deadLetters().redrive(queue, uid));
		});
		verb("HandlerAdmin.interrupt", (queue) -> admin.handlers().interrupt(queue, "m3", null));
		verb("HandlerAdmin.stack", (queue) -> admin.handlers().stack(queue, "m3", null));
		verb("HandlerAdmin.running", (queue) -> admin.handlers().running(queue).handlers());
		for (BulkAction action : BulkAction.values()) {
			verb("BulkJobAdmin.start " + action, (queue) -> job(queue, action));
		}
		verb("QueueOperations.send",
				(queue) -> List.of(sent(application.queues().send(OutboundMessage.to(queue, "more").id("m3"))),
						sent(application.queues().send(OutboundMessage.to(queue, "more").id("other").dueAt(due)))));
		verb("QueueOperations.sendAll",
				(queue) -> application.queues()
					.sendAll(Stream.of("m4", "new", "m5")
						.map((id) -> OutboundMessage.to(queue, "more").id(id).dueAt(due).priority(3))
						.toList())
					.stream()
					.map(FarVerbsIntegrationTests::sent)
					.toList());
		verb("QueueOperations.sendAsync",
				(queue) -> sent(application.queues().sendAsync(OutboundMessage.to(queue, "more").id("m6")).join()));
		verb("QueueOperations.result", (queue) -> {
			CompletableFuture<String> result = application.queues().result(queue, "m3", String.class);
			boolean done = result.isDone();
			admin.messages().cancel(queue, "m3");
			return List.of(done, failure(() -> result.orTimeout(20, TimeUnit.SECONDS).join()));
		});
	}

	/**
	 * Operations that have nothing to do with scheduled messages.
	 */
	private static final Set<String> OTHERS = Set.of("QueueOperations.publish", "QueueOperations.publishAsync",
			"QueueOperations.sendAt", "QueueOperations.sendAtAsync", "QueueOperations.sendForResult",
			"BulkJobAdmin.list", "BulkJobAdmin.find", "BulkJobAdmin.stop");

	@BeforeAll
	static void start() {
		application = ListenerApplication.on(redis).start();
		admin = application.bean(QueueAdmin.class);
		store = application.bean(AdminScripts.class);
	}

	@AfterAll
	static void close() {
		application.close();
	}

	private static void verb(String name, Function<String, Object> action) {
		VERBS.put(name, action);
	}

	static Set<String> verbs() {
		return VERBS.keySet();
	}

	@Test
	void eachOperationIsTried() {
		Set<String> expected = new TreeSet<>();
		for (Class<?> type : List.of(MessageAdmin.class, QueueControl.class, QueueInspector.class, HandlerAdmin.class,
				BulkJobAdmin.class, QueueOperations.class)) {
			for (Method method : type.getMethods()) {
				expected.add(type.getSimpleName() + "." + method.getName());
			}
		}
		expected.removeAll(OTHERS);
		assertThat(VERBS.keySet().stream().map((name) -> name.split(" ")[0])).containsAll(expected);
	}

	@ParameterizedTest
	@MethodSource("verbs")
	void doesTheSameWithPackedMessages(String verb) {
		List<String> results = new ArrayList<>();
		for (boolean packed : List.of(false, true)) {
			String queue = TestRedis.queue();
			send(queue);
			if (packed) {
				pack(queue);
				assertThat(store.far().chunks(queue, false, 10, null, null).join().chunks()).singleElement()
					.extracting(FarScript.Chunk::left)
					.isEqualTo(MESSAGES);
			}
			Object result = packed ? VERBS.get(verb).apply(queue) : nearly(queue, VERBS.get(verb));
			// All times but those that were chosen have fractions of a second.
			results.add((text(result) + "\n" + left(queue)).replace(queue, "Q")
				.replaceAll("[-0-9]{10}T[0-9:]{8}\\.\\d+Z", "time")
				.replaceAll("[0-9a-z]{12}-[0-9a-z]{6,}", "uid"));
		}
		assertThat(results.get(1)).isEqualTo(results.get(0));
	}

	private static final ThreadLocal<Boolean> packs = ThreadLocal.withInitial(() -> true);

	private static Object nearly(String queue, Function<String, Object> verb) {
		packs.set(false);
		try {
			return verb.apply(queue);
		}
		finally {
			packs.remove();
		}
	}

	private static void send(String queue) {
		application.queues()
			.sendAll(IntStream.range(0, MESSAGES)
				.mapToObj((i) -> OutboundMessage.to(queue, "text " + i)
					.id("m" + i)
					.dueAt(due.plusSeconds(i))
					.tag("t" + i % 2)
					.header("half", Integer.toString(i % 2))
					.timeToLive(Duration.ofDays(2)))
				.toList());
	}

	private static void pack(String queue) {
		if (packs.get()) {
			List<PackedMessages.Entry> found = store.far().look(queue, null, Duration.ofHours(1)).join().messages();
			store.names().registerFar(queue).join();
			assertThat(store.far().pack(queue, found, Duration.ofMillis(1)).join()).isEqualTo(found.size());
		}
	}

	private static String job(String queue, BulkAction action) {
		admin.messages().cancel(queue, "m1");
		BulkRequest request = BulkRequest.of(action, MessageFilter.all().header("half", "1"));
		request = switch (action) {
			case RESCHEDULE -> request.due(due.plus(Duration.ofDays(9)));
			case CHANGE -> request.change(MessageChange.none().payload("changed"));
			default -> request;
		};
		BulkJob started = admin.jobs().start(queue, request);
		BulkJob job = Awaitility.await()
			.until(() -> admin.jobs().find(started.id()).orElseThrow(),
					(each) -> each.state() != BulkJob.State.RUNNING);
		return job.state() + " " + List.of(job.seen(), job.matched(), job.done(), job.refused());
	}

	private static String failure(Runnable action) {
		try {
			action.run();
			return "done";
		}
		catch (RuntimeException ex) {
			Throwable cause = (ex.getCause() != null) ? ex.getCause() : ex;
			return cause.getClass().getSimpleName() + " " + cause.getMessage();
		}
	}

	private static long ready(List<QueueMinute> minutes) {
		return minutes.stream().filter((minute) -> minute.ready() > 0).count();
	}

	private static String sent(SendResult result) {
		return result.duplicate() + " " + (result.duplicate() ? result.due() : "");
	}

	/**
	 * What the queue has in the end.
	 */
	private static String left(String queue) {
		QueueInfo info = admin.queues().info(queue);
		List<String> messages = Stream
			.concat(IntStream.range(0, MESSAGES).mapToObj((i) -> "m" + i), Stream.of("new", "other"))
			.map((id) -> text(admin.messages().find(queue, id)))
			.toList();
		return info(info) + "\n" + String.join("\n", messages) + "\n" + admin.queues().check(queue).problems();
	}

	private static String info(QueueInfo info) {
		return List.of(info.scheduled(), info.ready(), info.inFlight(), info.dead(), info.paused(), info.closed(),
				info.completed(), info.inlet()) + " " + info.nextDue();
	}

	private static String text(Object value) {
		if (value instanceof Optional<?> optional) {
			return optional.map(FarVerbsIntegrationTests::text).orElse("nothing");
		}
		if (value instanceof List<?> list) {
			return list.stream().map(FarVerbsIntegrationTests::text).collect(Collectors.joining(", ", "[", "]"));
		}
		if (value instanceof QueuePage page) {
			return text(page.messages()) + " " + page.page() + " " + page.size() + " " + page.hasNext();
		}
		if (value instanceof QueueInfo info) {
			return info(info);
		}
		if (value instanceof QueuedMessage message) {
			boolean later = message.state() == MessageState.SCHEDULED && message.dueAt().isAfter(due.minusSeconds(1));
			return List
				.of(message.id(), message.state(), later ? message.dueAt() : "", message.failures(), message.crashes(),
						message.headers().get("half") + "", message.payloadAsText(), message.contentType() + "",
						message.priority() + "", message.tags(), message.history().size(), message.cancelled(),
						(message.death() != null) ? message.death().message() + "" : "")
				.toString();
		}
		return String.valueOf(value);
	}

}
