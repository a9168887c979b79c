package io.redelay.docs;

import java.util.List;

import io.redelay.embedded.redis.RedisServer;
import io.redelay.queue.DeathReason;
import io.redelay.queue.QueueListener;
import io.redelay.queue.QueueOperations;
import io.redelay.queue.RejectMessageException;
import io.redelay.queue.admin.ConsumerInfo;
import io.redelay.queue.admin.QueueAdmin;
import io.redelay.queue.listener.MessageRetryListener;
import io.redelay.queue.send.QueueTemplate;
import io.redelay.queue.work.DeliveryInfo;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.redisson.api.RedissonClient;

import org.springframework.beans.factory.annotation.Qualifier;
import org.springframework.boot.Banner;
import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Import;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The code of the chapter "Producers, consumers, several servers" does what the chapter
 * says.
 */
class ShapesIntegrationTests {

	private final RedisServer own = RedisServer.start();

	private final RedisServer archive = RedisServer.start();

	private ConfigurableApplicationContext context;

	private Orders orders;

	@BeforeEach
	void startApplication() {
		// No poll makes up for a wake-up that went to the wrong server.
		this.context = new SpringApplicationBuilder(Application.class).web(WebApplicationType.NONE)
			.bannerMode(Banner.Mode.OFF)
			.registerShutdownHook(false)
			.properties("spring.data.redis.url=" + this.own.uri(), "archive.url=" + this.archive.uri(),
					"redelay.queue.key-prefix=shapes", "redelay.queue.safety-poll-interval=1m")
			.run();
		this.orders = this.context.getBean(Orders.class);
	}

	@AfterEach
	void end() {
		this.context.close();
		this.own.close();
		this.archive.close();
	}

	@Test
	void eachServerHasItsOwnMessages() {
		this.context.getBean(Shapes.Checkout.class).order("1");
		this.context.getBean(Shapes.Archivist.class).keep("2");
		Awaitility.await()
			.untilAsserted(() -> assertThat(this.orders.reported).containsExactlyInAnyOrder("pack 1", "file 2"));
	}

	@Test
	void theBeansOfTheOwnServerStayTheOnesThatAreInjected() {
		assertThat(this.context.getBean(QueueOperations.class)).isSameAs(this.context.getBean("queueTemplate"))
			.isNotSameAs(this.context.getBean("archive"));
		assertThat(this.context.getBean(QueueTemplate.class)).isSameAs(this.context.getBean("queueTemplate"));
		assertThat(this.context.getBean(QueueAdmin.class)).isSameAs(this.context.getBean("queueAdmin"));
		assertThat(this.context.getBean(RedissonClient.class)).isSameAs(this.context.getBean("redissonClient"));
		this.context.getBean(QueueOperations.class).send("mine", "1");
		this.context.getBean("archive", QueueOperations.class).send("theirs", "2");
		assertThat(queues(this.own)).contains("mine").doesNotContain("theirs");
		assertThat(queues(this.archive)).contains("theirs").doesNotContain("mine");
	}

	@Test
	void eachAdministrationLooksAtItsOwnServer() {
		QueueAdmin own = this.context.getBean(QueueAdmin.class);
		QueueAdmin archive = this.context.getBean("archiveAdmin", QueueAdmin.class);
		Awaitility.await().untilAsserted(() -> {
			assertThat(own.queues().consumers("orders")).singleElement()
				.extracting(ConsumerInfo::listeners)
				.isEqualTo(List.of("warehouse.pack"));
			assertThat(archive.queues().consumers("orders")).singleElement()
				.extracting(ConsumerInfo::listeners)
				.isEqualTo(List.of("archivist.file"));
		});
		this.context.getBean("archive", QueueOperations.class).send("theirs", "1");
		assertThat(archive.queues().info("theirs").ready()).isOne();
		assertThat(own.queues().names()).doesNotContain("theirs");
	}

	@Test
	void theBeansOfTheApplicationServeAllServers() {
		this.context.getBean("archive", QueueOperations.class).send("fragile", "vase");
		Awaitility.await().untilAsserted(() -> assertThat(this.orders.reported).contains("broken REJECTED"));
	}

	private static List<String> queues(RedisServer server) {
		return ((List<?>) server.command("SMEMBERS", "shapes:queues")).stream().map(String::valueOf).toList();
	}

	@SpringBootConfiguration
	@EnableAutoConfiguration
	@Import({ Shapes.ArchiveConfiguration.class, Orders.class })
	static class Application {

		@Bean
		Shapes.Checkout checkout(QueueOperations queues) {
			return new Shapes.Checkout(queues);
		}

		@Bean
		Shapes.Warehouse warehouse(Orders orders) {
			return new Shapes.Warehouse(orders);
		}

		@Bean
		Shapes.Archivist archivist(@Qualifier("archive") QueueOperations archive, Orders orders) {
			return new Shapes.Archivist(archive, orders);
		}

		@Bean
		Clumsy clumsy(Orders orders) {
			return new Clumsy(orders);
		}

		/**
		 * Sends to the server whose failures it is notified of.
		 */
		@Bean
		MessageRetryListener failures(@Qualifier("archive") QueueOperations archive) {
			return new MessageRetryListener() {

				@Override
				public void onDead(DeliveryInfo delivery, DeathReason reason, Throwable failure) {
					archive.send("broken", reason.name());
				}

			};
		}

	}

	static class Clumsy {

		private final Orders orders;

		Clumsy(Orders orders) {
			this.orders = orders;
		}

		@QueueListener(queues = "fragile", containerFactory = "archiveFactory")
		void drop(String what) {
			throw new RejectMessageException("The " + what + " broke");
		}

		@QueueListener(queues = "broken", containerFactory = "archiveFactory")
		void sweep(String reason) {
			this.orders.report("broken " + reason);
		}

	}

}
