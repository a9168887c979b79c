package io.redelay.samples.shop.receipt;

import java.util.List;

import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RestController;

/**
 * The receipts over HTTP.
 */
@RestController
@RequestMapping("/receipts")
class ReceiptController {

	private final ReceiptService receipts;

	ReceiptController(ReceiptService receipts) {
		this.receipts = receipts;
	}

	@GetMapping("/{orderId}")
	Receipt find(@PathVariable String orderId) {
		return this.receipts.find(orderId);
	}

	@GetMapping("/dead")
	List<Receipt> findDead() {
		return this.receipts.findDead();
	}

}
