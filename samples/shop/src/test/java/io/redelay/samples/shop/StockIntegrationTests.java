package io.redelay.samples.shop;

import java.util.UUID;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import org.springframework.boot.test.web.server.LocalServerPort;

import static io.redelay.samples.shop.ShopClient.eventually;
import static org.assertj.core.api.Assertions.assertThat;

/**
 * Deliveries that are imported into the stock.
 */
@ShopTest
class StockIntegrationTests {

	private ShopClient shop;

	@BeforeEach
	void connect(@LocalServerPort int port) {
		this.shop = new ShopClient(port);
	}

	@Test
	void deliveryThatIsSentAgainIsAddedOnce() {
		String item = UUID.randomUUID().toString();
		String note = UUID.randomUUID().toString();
		for (int i = 0; i < 5; i++) {
			assertThat(this.shop.deliver(note, item, 3).code()).isEqualTo(202);
		}
		eventually(() -> assertThat(quantity(item)).isEqualTo(3));
		assertThat(this.shop.deliver("another-" + note, item, 4).code()).isEqualTo(202);
		assertThat(this.shop.deliver(note, item, 3).code()).isEqualTo(202);
		eventually(() -> assertThat(quantity(item)).isEqualTo(7));
		String last = UUID.randomUUID().toString();
		this.shop.deliver(note, last, 1);
		eventually(() -> assertThat(quantity(last)).isOne());
		assertThat(quantity(item)).isEqualTo(7);
	}

	@Test
	void badDeliveryIsRefused() {
		assertThat(this.shop.deliver("", "book", 3).code()).isEqualTo(400);
		assertThat(this.shop.deliver("D-17", "book", 0).code()).isEqualTo(400);
		assertThat(this.shop.get("/stock/" + UUID.randomUUID()).code()).isEqualTo(404);
	}

	private int quantity(String item) {
		return this.shop.get("/stock/" + item).body().required("quantity").asInt();
	}

}
