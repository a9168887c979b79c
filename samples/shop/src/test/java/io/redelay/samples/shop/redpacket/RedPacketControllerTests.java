package io.redelay.samples.shop.redpacket;

import java.math.BigDecimal;
import java.time.Duration;
import java.time.Instant;

import io.redelay.samples.shop.account.AccountService;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.webmvc.test.autoconfigure.WebMvcTest;
import org.springframework.http.HttpStatus;
import org.springframework.http.MediaType;
import org.springframework.test.context.bean.override.mockito.MockitoBean;
import org.springframework.test.web.servlet.assertj.MockMvcTester;
import org.springframework.test.web.servlet.assertj.MvcTestResult;

import static org.assertj.core.api.Assertions.assertThat;
import static org.mockito.BDDMockito.given;

/**
 * Tests for {@link RedPacketController}.
 */
@WebMvcTest(RedPacketController.class)
@MockitoBean(types = AccountService.class)
class RedPacketControllerTests {

	@Autowired
	private MockMvcTester mvc;

	@MockitoBean
	private RedPacketService redPackets;

	@Test
	void sendsRedPacket() {
		SendRedPacket request = new SendRedPacket("alice", "bob", new BigDecimal("8.88"), Duration.ofSeconds(2));
		RedPacket redPacket = RedPacket.of(request, Instant.parse("2026-11-20T10:00:00Z"));
		given(this.redPackets.send(request)).willReturn(redPacket);
		MvcTestResult result = send("{'from':'alice','to':'bob','amount':8.88,'refundAfter':'PT2S'}");
		assertThat(result).hasStatus(HttpStatus.CREATED).hasHeader("Location", "/red-packets/" + redPacket.id());
		assertThat(result).bodyJson().isStrictlyEqualTo("""
				{"id": "%s", "from": "alice", "to": "bob", "amount": 8.88, "status": "PENDING",
				 "createdAt": "2026-11-20T10:00:00Z", "refundAt": "2026-11-20T10:00:02Z"}""".formatted(redPacket.id()));
	}

	@ParameterizedTest
	@CsvSource(delimiter = '|', textBlock = """
			from        | {'to':'bob','amount':8.88,'refundAfter':'PT2S'}
			to          | {'from':'alice','to':'','amount':8.88,'refundAfter':'PT2S'}
			amount      | {'from':'alice','to':'bob','amount':-8.88,'refundAfter':'PT2S'}
			refundAfter | {'from':'alice','to':'bob','amount':8.88}
			refundAfter | {'from':'alice','to':'bob','amount':8.88,'refundAfter':'never'}
			""")
	void namesFieldOfBadRequest(String field, String body) {
		MvcTestResult result = send(body);
		assertThat(result).hasStatus(HttpStatus.BAD_REQUEST).hasContentType(MediaType.APPLICATION_PROBLEM_JSON);
		assertThat(result).bodyJson().extractingPath("$.errors." + field).asString().isNotBlank();
	}

	private MvcTestResult send(String body) {
		return this.mvc.post()
			.uri("/red-packets")
			.contentType(MediaType.APPLICATION_JSON)
			.content(body.replace('\'', '"'))
			.exchange();
	}

}
