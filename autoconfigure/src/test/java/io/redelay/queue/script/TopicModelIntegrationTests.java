package io.redelay.queue.script;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.UUID;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;

import io.redelay.queue.GroupFilter;
import io.redelay.queue.limits.GroupName;
import io.redelay.queue.message.DeclaredFilter;
import io.redelay.queue.message.LengthLimit;
import io.redelay.queue.message.NewMessage;
import io.redelay.queue.request.LaneStatus;
import io.redelay.queue.request.ReplayMemory;
import io.redelay.queue.request.SendReply;
import io.redelay.queue.request.SendRequest;
import io.redelay.queue.script.admin.AdminScripts;
import io.redelay.queue.script.admin.PurgeScript;
import io.redelay.queue.wire.RedisAvailability;
import io.redelay.queue.wire.TestScripts;
import io.redelay.test.TestRedis;
import io.redelay.test.extent.Extent;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.redisson.api.RedissonClient;
import org.redisson.client.codec.StringCodec;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Publishes, registers and removes groups by chance, with requests that come twice, late
 * or after Redis went back in time, and compares each group with a model after each step.
 */
class TopicModelIntegrationTests {

	@RegisterExtension
	static final TestRedis redis = TestRedis.shared();

	private static final ScheduledExecutorService timer = Executors.newSingleThreadScheduledExecutor();

	private static final int STEPS = 150;

	private static final List<String> GROUPS = List.of("a", "b", "small", "dropping");

	private static final LengthLimit SMALL = new LengthLimit(12, false, null);

	private static final LengthLimit DROPPING = new LengthLimit(6, true, null);

	private static final List<GroupFilter> FILTERS = List.of(GroupFilter.NONE, GroupFilter.NONE.equalTo("region", "EU"),
			GroupFilter.NONE.oneOf("region", "EU", "US, west|;=^?!%"), GroupFilter.NONE.prefix("region", "US"),
			GroupFilter.NONE.exists("region", false), GroupFilter.NONE.exists("region", true).equalTo("level", "5"));

	private static final List<String> HEADERS = List.of("", "\"headers\":{\"region\":\"EU\"},",
			"\"headers\":{\"region\":\"EU\",\"level\":5},", "\"headers\":{\"region\":\"US, west|;=^?!%\",\"level\":7},",
			"\"headers\":{\"level\":5},");

	private static final List<Map<String, String>> TEXTS = List.of(Map.of(), Map.of("region", "EU"),
			Map.of("region", "EU", "level", "5"), Map.of("region", "US, west|;=^?!%", "level", "7"),
			Map.of("level", "5"));

	private final Map<String, Map<String, String>> headers = new HashMap<>();

	private final String topic = "t-" + UUID.randomUUID();

	private final Map<String, Group> model = new TreeMap<>();

	private final List<Publisher> publishers = List.of(new Publisher(), new Publisher());

	private final AdminScripts admin = new AdminScripts(redis.client(), "redelay", Duration.ofSeconds(10), timer,
			ReplayMemory.NONE, new RedisAvailability(timer));

	private int uids;

	@AfterAll
	static void stop() {
		timer.shutdownNow();
	}

	static List<Long> seeds() {
		long first = Long.getLong("redelay.test.seed", System.nanoTime());
		int count = Integer.getInteger("redelay.test.seeds", Extent.of(1, 4));
		List<Long> seeds = new ArrayList<>();
		for (int i = 0; i < count; i++) {
			seeds.add(first + i);
		}
		return seeds;
	}

	@ParameterizedTest
	@MethodSource("seeds")
	void eachGroupHasWhatTheModelSays(long seed) {
		System.out.printf("Seed %d: repeat with -Dredelay.test.seed=%d -Dredelay.test.seeds=1%n", seed, seed);
		Random random = new Random(seed);
		for (int step = 0; step < STEPS; step++) {
			String what = step(random);
			assertThat(stored()).as("seed %d, step %d: %s", seed, step, what).isEqualTo(expected());
		}
	}

	private String step(Random random) {
		Publisher publisher = this.publishers.get(random.nextInt(2));
		String group = GROUPS.get(random.nextInt(GROUPS.size()));
		return switch (random.nextInt(12)) {
			case 0 -> subscribe(publisher, group);
			case 1 -> declare(publisher, group, random);
			case 2 -> remove(publisher, group);
			case 3 -> publisher.repeat();
			case 4 -> publisher.late();
			case 5 -> publisher.ahead(messages(random));
			case 6 -> setClosed(group, random.nextBoolean());
			case 7 -> purge(group);
			default -> publisher.publish(messages(random));
		};
	}

	private List<NewMessage> messages(Random random) {
		List<NewMessage> messages = new ArrayList<>();
		for (int i = random.nextInt(3); i >= 0; i--) {
			String uid = String.format("u%05d", this.uids++);
			String id = (random.nextInt(4) == 0) ? "id" + random.nextInt(5) : null;
			Duration delay = (random.nextInt(4) == 0) ? Duration.ofHours(1) : null;
			int which = random.nextInt(HEADERS.size());
			this.headers.put(uid, TEXTS.get(which));
			messages.add(new NewMessage(uid, id, delay, null,
					("{\"v\":1," + HEADERS.get(which) + "\"payload\":{\"headers\":{\"region\":\"EU\"}}}")
						.getBytes(StandardCharsets.UTF_8)));
		}
		return messages;
	}

	private String subscribe(Publisher publisher, String group) {
		boolean added = publisher.store.subscribe()
			.run(this.topic, group, Duration.ZERO, DeclaredFilter.NONE)
			.join()
			.added();
		assertThat(added).isEqualTo(this.model.putIfAbsent(group, new Group()) == null);
		return "subscribe " + group;
	}

	/**
	 * A consumer declares a filter now, or says that it is there with one that it has
	 * declared before, perhaps before another one.
	 */
	private String declare(Publisher publisher, String group, Random random) {
		GroupFilter filter = FILTERS.get(random.nextInt(FILTERS.size()));
		Group known = this.model.get(group);
		boolean renews = known != null && random.nextInt(3) == 0;
		DeclaredFilter declared = DeclaredFilter.now(filter);
		if (renews) {
			declared = new DeclaredFilter(filter,
					known.declared.minusMillis(random.nextBoolean() ? 1 : -1).minusMillis(known.ever ? 0 : 1));
		}
		SubscribeScript.Registration registration = publisher.store.subscribe()
			.run(this.topic, group, Duration.ZERO, declared)
			.join();
		assertThat(registration.added()).isEqualTo(known == null);
		Group now = this.model.computeIfAbsent(group, (name) -> new Group());
		GroupFilter before = now.filter;
		if (!renews || declared.since().isAfter(now.declared)) {
			now.filter = filter;
		}
		now.declared = registration.filter().since();
		now.ever |= !now.declared.equals(Instant.EPOCH);
		assertThat(registration.filter().filter()).isEqualTo(now.filter);
		assertThat(registration.replaced()).isEqualTo((known == null || before.equals(now.filter)) ? null : before);
		return "declare " + group + " " + filter + (renews ? " again" : "");
	}

	private List<NewMessage> wanted(Group group, List<NewMessage> messages) {
		return messages.stream()
			.filter((message) -> group.filter.accepts(this.headers.getOrDefault(message.uid(), Map.of())))
			.toList();
	}

	private String remove(Publisher publisher, String group) {
		TopicScript.Removal removal = publisher.store.topic()
			.removeGroup(this.topic, group, TopicScript.Reason.BY_HAND)
			.join();
		Group removed = this.model.remove(group);
		assertThat(removal.isDone()).isEqualTo(removed != null);
		assertThat(removal.messages()).isEqualTo((removed != null) ? removed.messages.size() : 0);
		return "remove " + group;
	}

	private String setClosed(String group, boolean closed) {
		Group known = this.model.get(group);
		if (known != null) {
			this.admin.steer()
				.batcher(GroupName.of(this.topic, group))
				.send(List.of(MessageCommand.flag("closed", closed)))
				.join();
			known.closed = closed;
		}
		return "close " + group + " " + closed;
	}

	private String purge(String group) {
		Group known = this.model.get(group);
		if (known != null) {
			String queue = GroupName.of(this.topic, group);
			String lane = this.admin.steer().openLane(queue).join();
			new PurgeScript(this.admin).run(queue, lane, 1, io.redelay.queue.MessageState.READY, 1000).join();
			known.messages.values().removeIf((message) -> message.delay() == null);
		}
		return "purge " + group;
	}

	/**
	 * What each group holds, those that are scheduled with a mark.
	 */
	private Map<String, Set<String>> expected() {
		Map<String, Set<String>> all = new TreeMap<>();
		this.model.forEach((name, group) -> {
			Set<String> uids = new HashSet<>();
			group.messages.forEach((uid, message) -> uids.add(((message.delay() != null) ? "+" : "") + uid));
			all.put(name, uids);
		});
		return all;
	}

	private Map<String, Set<String>> stored() {
		RedissonClient client = redis.client();
		Map<String, Set<String>> all = new TreeMap<>();
		Set<String> registered = new HashSet<>();
		this.publishers.get(0).store.topic()
			.run(this.topic)
			.join()
			.groups()
			.stream()
			.map(TopicScript.StoredGroup::name)
			.forEach(registered::add);
		for (String group : GROUPS) {
			String base = "redelay:{" + this.topic + "}@" + group + ":";
			Set<String> bodies = client.<String, String>getMap(base + "messages", StringCodec.INSTANCE).readAllKeySet();
			if (!registered.contains(group)) {
				assertThat(bodies).as("what a group has that is not registered").isEmpty();
				continue;
			}
			Set<String> scheduled = new HashSet<>(
					client.<String>getScoredSortedSet(base + "scheduled", StringCodec.INSTANCE).readAll());
			Set<String> uids = new HashSet<>();
			bodies.forEach((uid) -> uids.add((scheduled.contains(uid) ? "+" : "") + uid));
			all.put(group, uids);
		}
		return all;
	}

	/**
	 * A group as it is to be.
	 */
	private static final class Group {

		private final Map<String, NewMessage> messages = new TreeMap<>();

		private boolean closed;

		private GroupFilter filter = GroupFilter.NONE;

		private Instant declared = Instant.EPOCH;

		private boolean ever;

		boolean hasId(@Nullable String id) {
			return id != null && this.messages.values().stream().anyMatch((message) -> id.equals(message.id()));
		}

	}

	/**
	 * An instance that publishes, with what it knows of the groups.
	 */
	private final class Publisher {

		private final TopicScripts store = TestScripts
			.create(redis.client(), "redelay", Duration.ofSeconds(10), timer, ReplayMemory.NONE)
			.topics();

		private final String lane = this.store.publish().open(TopicModelIntegrationTests.this.topic).join();

		private long seq;

		private List<NewMessage> last = List.of();

		private PublishScript.@Nullable Result reply;

		private PublishScript.Result send(long number, List<NewMessage> messages) {
			return this.store.publish()
				.run(TopicModelIntegrationTests.this.topic,
						new SendRequest(this.lane, number, false, messages, null, false, false),
						TopicModelIntegrationTests::limit)
				.join();
		}

		String publish(List<NewMessage> messages) {
			PublishScript.Result given = send(++this.seq, messages);
			this.last = messages;
			this.reply = given;
			Map<String, Group> groups = TopicModelIntegrationTests.this.model;
			String refusing = null;
			LaneStatus status = LaneStatus.OK;
			for (Map.Entry<String, Group> entry : groups.entrySet()) {
				List<NewMessage> copies = wanted(entry.getValue(), messages);
				LaneStatus own = copies.isEmpty() ? LaneStatus.OK : status(entry.getKey(), entry.getValue(), copies);
				if (own != LaneStatus.OK) {
					refusing = entry.getKey();
					status = own;
					break;
				}
			}
			assertThat(given.status()).isEqualTo(status);
			assertThat(given.refusedBy()).isEqualTo(refusing);
			if (status == LaneStatus.OK) {
				assertThat(given.allGroups()).isEqualTo(groups.keySet());
				groups.forEach((name, group) -> {
					List<NewMessage> copies = wanted(group, messages);
					assertThat(given.groups().containsKey(name)).isEqualTo(!copies.isEmpty());
					for (int i = 0; i < messages.size(); i++) {
						assertThat(given.isCopied(name, i)).isEqualTo(copies.contains(messages.get(i)));
					}
					if (!copies.isEmpty()) {
						add(name, group, copies, given, messages);
					}
				});
			}
			return "publish " + messages.size();
		}

		private LaneStatus status(String name, Group group, List<NewMessage> messages) {
			if (group.closed) {
				return LaneStatus.CLOSED;
			}
			LengthLimit limit = limit("t@" + name);
			if (limit == null) {
				return LaneStatus.OK;
			}
			Set<String> ids = new HashSet<>();
			int originals = 0;
			int added = 0;
			for (NewMessage message : messages) {
				if (message.id() != null && group.hasId(message.id()) && !ids.contains(message.id())) {
					originals++;
				}
				else if (message.id() == null || !ids.contains(message.id())) {
					added++;
				}
				if (message.id() != null) {
					ids.add(message.id());
				}
			}
			if (limit.dropsOldest()) {
				return (group.messages.size() + added > limit.length() && originals + added > limit.length())
						? LaneStatus.FULL : LaneStatus.OK;
			}
			return (group.messages.size() + added > limit.length()) ? LaneStatus.FULL : LaneStatus.OK;
		}

		private void add(String name, Group group, List<NewMessage> messages, PublishScript.Result given,
				List<NewMessage> all) {
			for (NewMessage message : messages) {
				boolean duplicate = group.hasId(message.id());
				SendReply.Fate fate = given.fate(name, all.indexOf(message));
				assertThat(fate != null).as("reported as a duplicate").isEqualTo(duplicate);
				if (!duplicate) {
					group.messages.put(message.uid(), message);
				}
			}
			given.groups().get(name).dropped().forEach((uid) -> {
				NewMessage dropped = group.messages.remove(uid);
				assertThat(dropped).isNotNull();
				assertThat(messages).as("what was just added is not dropped").doesNotContain(dropped);
			});
			LengthLimit limit = limit("t@" + name);
			assertThat(limit == null || group.messages.size() <= limit.length()).isTrue();
		}

		/**
		 * The last request comes again, perhaps after groups have come or gone.
		 */
		String repeat() {
			if (this.reply != null) {
				PublishScript.Result again = send(this.seq, this.last);
				assertThat(again.status()).isEqualTo(this.reply.status());
				assertThat(again.time()).isEqualTo(this.reply.time());
				assertThat(again.groups().keySet()).isEqualTo(this.reply.groups().keySet());
				assertThat(again.selections()).isEqualTo(this.reply.selections());
			}
			return "repeat";
		}

		String late() {
			if (this.seq > 1) {
				assertThat(send(this.seq - 1, this.last).status()).isEqualTo(LaneStatus.STALE);
			}
			return "late";
		}

		String ahead(List<NewMessage> messages) {
			assertThat(send(this.seq + 2, messages).status()).isEqualTo(LaneStatus.BEHIND);
			return "ahead";
		}

	}

	private static @Nullable LengthLimit limit(String queue) {
		return switch (GroupName.groupOf(queue)) {
			case "small" -> SMALL;
			case "dropping" -> DROPPING;
			default -> null;
		};
	}

}
