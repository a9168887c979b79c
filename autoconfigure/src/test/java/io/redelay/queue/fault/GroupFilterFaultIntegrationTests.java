package io.redelay.queue.fault;

import java.nio.file.Path;
import java.util.List;

import io.redelay.embedded.redis.RedisServer;
import io.redelay.queue.GroupFilter;
import io.redelay.queue.HeaderFilter;
import io.redelay.queue.OutboundMessage;
import io.redelay.queue.PublishResult;
import io.redelay.queue.QueueListener;
import io.redelay.queue.admin.QueueAdmin;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import org.springframework.context.ConfigurableApplicationContext;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The filter of a group after the instance that declared it was killed, and after Redis
 * went back to a time before it was declared.
 */
class GroupFilterFaultIntegrationTests extends FaultTests {

	private static final GroupFilter EUROPE = GroupFilter.NONE.equalTo("region", "EU");

	@TempDir
	Path folder;

	@Override
	RedisServer startServer() {
		return RedisServer.builder().config("dir " + this.folder, "save \"\"").start();
	}

	@Test
	@Tag("full")
	void theFilterOfAKilledInstanceHoldsUntilAnotherIsDeclared() {
		InstanceProcess victim = process(European.class);
		ConfigurableApplicationContext publisher = instance(Nothing.class);
		Awaitility.await().until(() -> publish(publisher, "EU").groups().containsKey("regional"));
		assertThat(publish(publisher, "US").leftOut()).containsExactly("regional");
		victim.kill();
		assertThat(publish(publisher, "US").leftOut()).containsExactly("regional");
		assertThat(publish(publisher, "EU").groups()).containsOnlyKeys("regional");
		// An instance that knows nothing of the topic yet heeds it from its first publish
		// on.
		assertThat(publish(instance(Nothing.class), "US").leftOut()).containsExactly("regional");
		instance(American.class);
		assertThat(publish(publisher, "US").groups()).containsOnlyKeys("regional");
		assertThat(publish(publisher, "EU").leftOut()).containsExactly("regional");
	}

	@Test
	void theFilterThatRedisHasForgottenIsDeclaredAgainAsOfThen() {
		String expiry = "redelay.queue.topics[" + this.queue + "].group-expiry=3s";
		ConfigurableApplicationContext old = instance(European.class, expiry);
		ConfigurableApplicationContext publisher = instance(Nothing.class);
		assertThat(publish(publisher, "US").leftOut()).containsExactly("regional");
		this.redis.command("SAVE");
		ConfigurableApplicationContext latest = instance(American.class, expiry);
		assertThat(publish(publisher, "EU").leftOut()).containsExactly("regional");
		this.redis.kill();
		this.redis.restart();
		// The one that declared the older filter must not win, however often it says that
		// it is there.
		Awaitility.await()
			.ignoreExceptions()
			.untilAsserted(() -> assertThat(filter(publisher).conditions())
				.isEqualTo(GroupFilter.NONE.equalTo("region", "US").conditions()));
		Awaitility.await().ignoreExceptions().until(() -> publish(publisher, "US").groups().containsKey("regional"));
		assertThat(List.of(old, latest)).allMatch(ConfigurableApplicationContext::isRunning);
	}

	@Test
	void aGroupThatRedisHasForgottenIsRegisteredAgainWithItsFilter() {
		ConfigurableApplicationContext publisher = instance(Nothing.class);
		publish(publisher, "before");
		this.redis.command("SAVE");
		instance(European.class);
		assertThat(publish(publisher, "US").leftOut()).containsExactly("regional");
		this.redis.kill();
		this.redis.restart();
		Awaitility.await().ignoreExceptions().until(() -> publish(publisher, "EU").groups().containsKey("regional"));
		assertThat(publish(publisher, "US").leftOut()).containsExactly("regional");
		assertThat(filter(publisher)).isEqualTo(EUROPE);
	}

	private PublishResult publish(ConfigurableApplicationContext instance, String region) {
		return queue(instance).publish(OutboundMessage.to(this.queue, region).header("region", region));
	}

	private GroupFilter filter(ConfigurableApplicationContext instance) {
		return instance.getBean(QueueAdmin.class).topics().info(this.queue).groups().get(0).filter();
	}

	static class Nothing {

	}

	static class European {

		@QueueListener(topic = "${test.queue}", group = "regional",
				groupFilter = @HeaderFilter(name = "region", equalTo = "EU"))
		void handle(String region) {
			assertThat(region).isEqualTo("EU");
		}

	}

	static class American {

		@QueueListener(topic = "${test.queue}", group = "regional",
				groupFilter = @HeaderFilter(name = "region", equalTo = "US"))
		void handle(String region) {
		}

	}

}
