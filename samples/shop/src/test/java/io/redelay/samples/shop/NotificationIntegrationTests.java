package io.redelay.samples.shop;

import java.util.stream.StreamSupport;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import tools.jackson.databind.JsonNode;

import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.ConfigurableApplicationContext;

import static io.redelay.samples.shop.ShopClient.eventually;
import static io.redelay.samples.shop.ShopInstances.client;
import static org.assertj.core.api.Assertions.assertThat;

/**
 * Notifications that both instances try to push.
 */
@ExtendWith(OutputCaptureExtension.class)
class NotificationIntegrationTests {

	private final ShopInstances instances = new ShopInstances();

	private final ConfigurableApplicationContext first = this.instances.start();

	private final ConfigurableApplicationContext second = this.instances.start();

	@AfterEach
	void stop() {
		this.instances.close();
	}

	@Test
	void bothInstancesTryAndTheFrontEndGetsEachOnce(CapturedOutput output) {
		ShopClient here = client(this.first);
		ShopClient there = client(this.second);
		for (int i = 0; i < 10; i++) {
			ShopClient shop = (i % 2 == 0) ? here : there;
			assertThat(shop.post("/notifications", "{\"id\":\"n-%d\",\"text\":\"table ready\"}".formatted(i)).code())
				.isEqualTo(202);
		}
		here.post("/notifications", "{\"id\":\"n-0\",\"text\":\"table ready\"}");
		eventually(() -> {
			assertThat(output.getOut().split("The notification n-\\d was pushed", -1)).hasSize(11);
			assertThat(output.getOut().split("The notification n-\\d had been pushed already", -1))
				.hasSizeGreaterThanOrEqualTo(11);
		});
		JsonNode notifications = there.get("/notifications").body();
		assertThat(
				StreamSupport.stream(notifications.spliterator(), false).map((each) -> each.required("id").asString()))
			.hasSize(10)
			.doesNotHaveDuplicates();
		assertThat(here.get("/notifications").body()).isEqualTo(notifications);
	}

	@Test
	void aNotificationWithoutATextIsRefused() {
		assertThat(client(this.first).post("/notifications", "{\"id\":\"n-1\"}").code()).isEqualTo(400);
	}

}
