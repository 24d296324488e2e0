// A product with a server, which signs people in with go-oidc: go_product ISSUER PORT CLIENT_ID CLIENT_SECRET.
package main

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"html"
	"log"
	"net/http"
	"net/url"
	"os"
	"sync"
	"time"

	"github.com/coreos/go-oidc"
	"golang.org/x/oauth2"
)

// What the product remembers about a browser.
type session struct {
	state, verifier, nonce string
	tokens                 *oauth2.Token
	idToken                string
}

type product struct {
	url       string
	provider  *oidc.Provider
	config    oauth2.Config
	endpoints struct {
		EndSession string `json:"end_session_endpoint"`
	}
	mutex    sync.Mutex
	sessions map[string]session
}

const cookie = "go_product"

func main() {
	issuer, port, clientID, clientSecret := os.Args[1], os.Args[2], os.Args[3], os.Args[4]
	p := &product{url: "http://localhost:" + port, sessions: map[string]session{}}
	var err error
	if p.provider, err = oidc.NewProvider(context.Background(), issuer); err != nil {
		log.Fatal(err)
	}
	if err = p.provider.Claims(&p.endpoints); err != nil {
		log.Fatal(err)
	}
	p.config = oauth2.Config{
		ClientID:     clientID,
		ClientSecret: clientSecret,
		Endpoint:     p.provider.Endpoint(),
		RedirectURL:  p.url + "/callback",
		Scopes:       []string{oidc.ScopeOpenID, "profile", "email"},
	}
	p.handle("/", p.home)
	p.handle("/login", p.logIn)
	p.handle("/callback", p.finishLogin)
	p.handle("/refresh", p.refresh)
	p.handle("/logout", p.logOut)
	log.Fatal(http.ListenAndServe("127.0.0.1:"+port, nil))
}

// Registers a page. It gets the session of the browser, and returns what to show.
func (p *product) handle(path string, page func(http.ResponseWriter, *http.Request, session) (any, error)) {
	http.HandleFunc(path, func(w http.ResponseWriter, r *http.Request) {
		shown, err := page(w, r, p.sessionOf(r))
		if err != nil {
			shown = map[string]string{"error": err.Error()}
		}
		if shown == nil {
			return
		}
		text, _ := json.Marshal(shown)
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		fmt.Fprintf(w, "<!DOCTYPE html><link rel='icon' href='data:,'><pre>%s</pre>", html.EscapeString(string(text)))
	})
}

func (p *product) home(w http.ResponseWriter, r *http.Request, s session) (any, error) {
	if s.tokens == nil {
		return map[string]string{"name": "guest"}, nil
	}
	info, err := p.provider.UserInfo(r.Context(), oauth2.StaticTokenSource(s.tokens))
	if err != nil {
		return nil, err
	}
	shown := map[string]any{}
	err = info.Claims(&shown)
	shown["token"] = s.tokens.AccessToken
	return shown, err
}

func (p *product) logIn(w http.ResponseWriter, r *http.Request, _ session) (any, error) {
	s := session{state: random(), verifier: random(), nonce: random()}
	hash := sha256.Sum256([]byte(s.verifier))
	address := p.config.AuthCodeURL(s.state, oidc.Nonce(s.nonce),
		oauth2.SetAuthURLParam("code_challenge", base64.RawURLEncoding.EncodeToString(hash[:])),
		oauth2.SetAuthURLParam("code_challenge_method", "S256"))
	return p.redirect(w, r, address, s)
}

func (p *product) finishLogin(w http.ResponseWriter, r *http.Request, s session) (any, error) {
	if s.state == "" || r.FormValue("state") != s.state {
		return nil, errors.New("another state")
	}
	tokens, err := p.config.Exchange(r.Context(), r.FormValue("code"), oauth2.SetAuthURLParam("code_verifier", s.verifier))
	if err != nil {
		return nil, err
	}
	raw, _ := tokens.Extra("id_token").(string)
	idToken, err := p.provider.Verifier(&oidc.Config{ClientID: p.config.ClientID}).Verify(r.Context(), raw)
	if err != nil {
		return nil, err
	}
	if idToken.Nonce != s.nonce {
		return nil, errors.New("another nonce")
	}
	return p.redirect(w, r, "/", session{tokens: tokens, idToken: raw})
}

// The library refreshes tokens that have expired.
func (p *product) refresh(w http.ResponseWriter, r *http.Request, s session) (any, error) {
	expired := *s.tokens
	expired.Expiry = time.Unix(1, 0)
	tokens, err := p.config.TokenSource(r.Context(), &expired).Token()
	if err != nil {
		return nil, err
	}
	return p.redirect(w, r, "/", session{tokens: tokens, idToken: s.idToken})
}

func (p *product) logOut(w http.ResponseWriter, r *http.Request, s session) (any, error) {
	hint := url.Values{"id_token_hint": {s.idToken}, "post_logout_redirect_uri": {p.url + "/"}}
	return p.redirect(w, r, p.endpoints.EndSession+"?"+hint.Encode(), session{})
}

// A new session for each step, so that no one can know its id in advance.
func (p *product) redirect(w http.ResponseWriter, r *http.Request, address string, s session) (any, error) {
	id := random()
	p.mutex.Lock()
	p.sessions[id] = s
	p.mutex.Unlock()
	http.SetCookie(w, &http.Cookie{Name: cookie, Value: id, Path: "/", HttpOnly: true, SameSite: http.SameSiteLaxMode})
	http.Redirect(w, r, address, http.StatusSeeOther)
	return nil, nil
}

func (p *product) sessionOf(r *http.Request) session {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	if id, err := r.Cookie(cookie); err == nil {
		return p.sessions[id.Value]
	}
	return session{}
}

func random() string {
	bytes := make([]byte, 32)
	if _, err := rand.Read(bytes); err != nil {
		log.Fatal(err)
	}
	return base64.RawURLEncoding.EncodeToString(bytes)
}
