package io.redelay.samples.shop.account;

import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RestController;

/**
 * The accounts over HTTP.
 */
@RestController
@RequestMapping("/accounts")
class AccountController {

	private final AccountService accounts;

	AccountController(AccountService accounts) {
		this.accounts = accounts;
	}

	@GetMapping("/{name}")
	Account find(@PathVariable String name) {
		return this.accounts.find(name);
	}

}
