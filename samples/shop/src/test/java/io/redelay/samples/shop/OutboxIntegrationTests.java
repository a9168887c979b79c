package io.redelay.samples.shop;

import java.time.Duration;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import org.springframework.jdbc.core.simple.JdbcClient;

import static io.redelay.samples.shop.ShopClient.eventually;
import static io.redelay.samples.shop.ShopInstances.client;
import static org.assertj.core.api.Assertions.assertThat;

/**
 * What the orders of an instance need is in the database, and any instance sends it.
 */
class OutboxIntegrationTests {

	private final ShopInstances instances = new ShopInstances();

	@AfterEach
	void stop() {
		this.instances.close();
	}

	@Test
	void whatAnInstanceWroteBeforeItEndedIsSentByAnother() {
		ShopClient ending = client(this.instances.start("--redelay.outbox.relays=0"));
		String id = ending.placeOrder(Duration.ofSeconds(1));
		assertThat(ending.order(id).status()).isEqualTo("PENDING");
		var sending = this.instances.start();
		eventually(() -> assertThat(client(sending).order(id).status()).isEqualTo("CANCELLED"));
		eventually(() -> assertThat(
				sending.getBean(JdbcClient.class).sql("SELECT COUNT(*) FROM redelay_outbox").query(Long.class).single())
			.isZero());
	}

}
