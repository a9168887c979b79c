package io.redelay.samples.shop;

import java.util.UUID;
import java.util.stream.IntStream;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import org.springframework.boot.test.web.server.LocalServerPort;

import static io.redelay.samples.shop.ShopClient.eventually;
import static org.assertj.core.api.Assertions.assertThat;

/**
 * News that are mailed together.
 */
@ShopTest
class DigestIntegrationTests {

	private ShopClient shop;

	@BeforeEach
	void connect(@LocalServerPort int port) {
		this.shop = new ShopClient(port);
	}

	@Test
	void twentyPiecesOfNewsAreOneMail() {
		String amy = UUID.randomUUID() + "@example.com";
		String bob = UUID.randomUUID() + "@example.com";
		IntStream.range(0, 40).forEach((i) -> assertThat(this.shop.sendNews(amy, "news " + i).code()).isEqualTo(202));
		IntStream.range(0, 20).forEach((i) -> this.shop.sendNews(bob, "news " + i));
		eventually(() -> assertThat(this.shop.digests(amy)).containsExactly(20, 20));
		eventually(() -> assertThat(this.shop.digests(bob)).containsExactly(20));
	}

	@Test
	void newsWithoutARecipientAreRefused() {
		assertThat(this.shop.sendNews("nobody", "news").code()).isEqualTo(400);
		assertThat(this.shop.sendNews("amy@example.com", "").code()).isEqualTo(400);
	}

}
