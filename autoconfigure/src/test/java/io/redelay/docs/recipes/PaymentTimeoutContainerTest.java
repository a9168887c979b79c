package io.redelay.docs.recipes;

import io.redelay.queue.QueueOperations;
import io.redelay.queue.admin.QueueAdmin;
import org.junit.jupiter.api.Test;
import org.testcontainers.containers.GenericContainer;
import org.testcontainers.junit.jupiter.Container;
import org.testcontainers.junit.jupiter.Testcontainers;

import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.boot.testcontainers.service.connection.ServiceConnection;

import static org.assertj.core.api.Assertions.assertThat;

@SpringBootTest
@Testcontainers
class PaymentTimeoutContainerTest {

	@Container
	@ServiceConnection(name = "redis")
	static final GenericContainer<?> redis = new GenericContainer<>("redis:8").withExposedPorts(6379);

	@Test
	void messagesWaitInTheContainer(@Autowired QueueOperations queues, @Autowired QueueAdmin admin) {
		queues.send("unheard", "hello");
		assertThat(admin.queues().info("unheard").ready()).isOne();
	}

}
