package io.redelay.samples.shop.redpacket;

import java.net.URI;

import io.redelay.samples.shop.account.AccountService;
import jakarta.validation.Valid;

import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RestController;

/**
 * The red packets over HTTP.
 */
@RestController
@RequestMapping("/red-packets")
class RedPacketController {

	private final RedPacketService redPackets;

	private final AccountService accounts;

	RedPacketController(RedPacketService redPackets, AccountService accounts) {
		this.redPackets = redPackets;
		this.accounts = accounts;
	}

	@PostMapping
	ResponseEntity<RedPacket> send(@Valid @RequestBody SendRedPacket request) {
		this.accounts.open(request.from());
		this.accounts.open(request.to());
		RedPacket redPacket = this.redPackets.send(request);
		return ResponseEntity.created(URI.create("/red-packets/" + redPacket.id())).body(redPacket);
	}

	@GetMapping("/{id}")
	RedPacket find(@PathVariable String id) {
		return this.redPackets.find(id);
	}

	@PostMapping("/{id}/open")
	RedPacket open(@PathVariable String id) {
		return this.redPackets.open(id);
	}

}
