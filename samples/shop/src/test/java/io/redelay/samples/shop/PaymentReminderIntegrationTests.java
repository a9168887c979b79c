package io.redelay.samples.shop;

import java.time.Duration;
import java.util.UUID;

import io.redelay.samples.shop.ShopClient.Answer;
import io.redelay.samples.shop.mail.Mailer;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import org.springframework.boot.test.web.server.LocalServerPort;
import org.springframework.test.context.TestPropertySource;
import org.springframework.test.context.bean.override.mockito.MockitoSpyBean;

import static io.redelay.samples.shop.ShopClient.eventually;
import static org.assertj.core.api.Assertions.assertThat;
import static org.mockito.ArgumentMatchers.contains;
import static org.mockito.ArgumentMatchers.eq;
import static org.mockito.BDDMockito.then;
import static org.mockito.Mockito.never;
import static org.mockito.Mockito.times;

/**
 * Reminders to pay, from HTTP through the queue to the mailer.
 */
@ShopTest
@TestPropertySource(properties = "shop.mailer.failure-rate=0")
class PaymentReminderIntegrationTests {

	private final String email = UUID.randomUUID() + "@example.com";

	private ShopClient shop;

	@MockitoSpyBean
	private Mailer mailer;

	@BeforeEach
	void connect(@LocalServerPort int port) {
		this.shop = new ShopClient(port);
	}

	@Test
	void reminderWaitsForHalfTheTimeToPay() {
		String id = this.shop.placeOrder(Duration.ofMinutes(30), this.email);
		Answer order = this.shop.order(id);
		Answer reminder = this.shop.reminder(id);
		assertThat(reminder.code()).isEqualTo(200);
		assertThat(reminder.body().required("state").asString()).isEqualTo("SCHEDULED");
		assertThat(reminder.time("dueAt")).isBetween(order.time("createdAt").plus(Duration.ofMinutes(15)),
				order.time("payBy"));
		assertThat(order.body().has("remindedAt")).isFalse();
	}

	@Test
	void unpaidOrderIsRemindedOfOnce() {
		String id = this.shop.placeOrder(Duration.ofSeconds(10), this.email);
		eventually(() -> assertThat(this.shop.reminder(id).code()).isEqualTo(404));
		Answer order = this.shop.order(id);
		assertThat(order.time("remindedAt")).isBetween(order.time("createdAt").plus(Duration.ofSeconds(5)),
				order.time("payBy"));
		then(this.mailer).should(times(1)).send(eq(this.email), contains("pay order " + id));
	}

	@Test
	void paidOrderIsNotRemindedOf() {
		String paid = this.shop.placeOrder(Duration.ofSeconds(10), this.email);
		assertThat(this.shop.pay(paid).status()).isEqualTo("PAID");
		Answer reminder = this.shop.reminder(paid);
		assertThat(reminder.code()).isEqualTo(404);
		assertThat(reminder.body().required("detail").asString()).contains("no reminder").contains(paid);
		String later = this.shop.placeOrder(Duration.ofSeconds(10));
		eventually(() -> assertThat(this.shop.order(later).body().has("remindedAt")).isTrue());
		assertThat(this.shop.order(paid).body().has("remindedAt")).isFalse();
		then(this.mailer).should(never()).send(eq(this.email), contains("pay order"));
	}

}
